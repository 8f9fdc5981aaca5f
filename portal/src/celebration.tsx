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

/** Along the edges, so that none of them lies on the words. Always the same: nothing on this page is random. */
const PIECES = [
  [14, 8],
  [52, 5],
  [96, 10],
  [143, 6],
  [188, 9],
  [236, 5],
  [281, 10],
  [322, 6],
  [366, 9],
  [390, 30],
  [24, 74],
  [71, 77],
  [118, 73],
  [164, 76],
  [210, 72],
  [257, 77],
  [300, 73],
  [346, 76],
  [384, 70],
  [8, 44],
] as const;

export function Confetti() {
  return (
    <svg class="confetti" viewBox="0 0 400 80" preserveAspectRatio="none" aria-hidden="true">
      {PIECES.map(([x, y], i) => (
        <rect
          key={x}
          class={`piece piece-${i % 4}`}
          x={x}
          y={y - 2.5}
          width="5"
          height="5"
          rx="1.2"
          transform={`rotate(${(i * 37) % 90} ${x + 2.5} ${y})`}
        />
      ))}
    </svg>
  );
}
