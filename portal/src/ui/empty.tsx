import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** Says why a list is empty and what fills it. `children` is the way there. */
export function Empty(props: { icon: IconName; text: string; children?: ComponentChildren }) {
  return (
    <div class="card empty">
      <span class="badge large">
        <Icon name={props.icon} size={26} />
      </span>
      <p>{props.text}</p>
      {props.children}
    </div>
  );
}
