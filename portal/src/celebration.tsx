import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './ui/icon.tsx';

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

/** Along the upper and the lower edge, where no words are: how far from the left and from the edge. */
const UPPER = [
  [4, 8],
  [13, 4],
  [24, 9],
  [36, 5],
  [47, 8],
  [59, 4],
  [70, 9],
  [81, 5],
] as const;
const LOWER = [
  [3, 9],
  [11, 5],
  [22, 8],
  [33, 4],
  [45, 9],
  [56, 5],
  [68, 8],
  [79, 4],
  [90, 9],
  [96, 5],
] as const;

/** Always the same: nothing on this page is random. */
export function Confetti() {
  return (
    <svg class="confetti" width="100%" height="100%" aria-hidden="true">
      {UPPER.map(([x, y], i) => (
        <Piece key={x} i={i} x={x} y={y - 2} />
      ))}
      <svg y="100%" overflow="visible">
        {LOWER.map(([x, y], i) => (
          <Piece key={x} i={i + 1} x={x} y={-y - 3} />
        ))}
      </svg>
    </svg>
  );
}

function Piece({ i, x, y }: { i: number; x: number; y: number }) {
  return <rect class={`piece piece-${i % 4}`} x={`${x}%`} y={y} width="5" height="5" rx="1.2" />;
}
