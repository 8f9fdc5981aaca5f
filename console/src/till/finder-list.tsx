import { Icon } from '../ui/icon.tsx';
import type { Line } from './finder-lines.ts';

/** The list below the field of the till. The field keeps the focus and names the line that is chosen. */
export function FinderList(props: {
  id: string;
  label: string;
  lines: readonly Line[];
  at: number;
  onPoint: (at: number) => void;
  onPick: (line: Line) => void;
}) {
  const { id, label, lines, at, onPoint, onPick } = props;
  return (
    <div id={`${id}-list`} role="listbox" aria-label={label} className="card finder-list">
      {lines.map((line, i) => (
        <div
          key={line.id}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === at}
          className="palette-line"
          onPointerMove={() => onPoint(i)}
          onClick={() => onPick(line)}
        >
          {'icon' in line.mark ? (
            <span className="badge">
              <Icon name={line.mark.icon} />
            </span>
          ) : (
            <span className="avatar little">{line.mark.initials}</span>
          )}
          <span className="row-words">
            <span className="name clip">{line.label}</span>
            {line.hint !== '' && <span className="small clip">{line.hint}</span>}
          </span>
          {line.end !== undefined && <span className="small number">{line.end}</span>}
        </div>
      ))}
    </div>
  );
}
