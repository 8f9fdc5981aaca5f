import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** Good news at the top of Home. Its confetti falls once, and lies still for members who prefer no motion. */
export function Celebration(props: {
  icon: IconName;
  title: ComponentChildren;
  text?: ComponentChildren;
  close: string;
  onClose: () => void;
}) {
  return (
    <section class="card celebration" role="status">
      <Confetti />
      <span class="badge large">
        <Icon name={props.icon} size={28} />
      </span>
      <div class="row-words">
        <h2>{props.title}</h2>
        {props.text && <p>{props.text}</p>}
      </div>
      <button type="button" class="plain close" aria-label={props.close} onClick={props.onClose}>
        <Icon name="close" />
      </button>
    </section>
  );
}

/** Always the same pieces: nothing on this page is random. */
const PIECES = [
  [6, 20, 20], [14, 62, -35], [22, 30, 60], [31, 78, 15], [39, 16, -20], [47, 54, 45], [55, 84, -60],
  [63, 26, 10], [70, 66, 75], [78, 38, -15], [85, 74, 30], [93, 24, -45],
] as const;

export function Confetti() {
  return (
    <svg class="confetti" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {PIECES.map(([x, y, turn], i) => (
        <rect
          key={x}
          class={`piece piece-${i % 4}`}
          x={x}
          y={y}
          width="1.6"
          height="5"
          rx="0.5"
          transform={`rotate(${turn} ${x} ${y})`}
        />
      ))}
    </svg>
  );
}
