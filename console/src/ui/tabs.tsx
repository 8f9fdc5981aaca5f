import { Link } from 'wouter';
import './tabs.css';

/** The parts of a page, each with an address of its own. */
export function Tabs(props: {
  label: string;
  tabs: readonly { readonly href: string; readonly label: string; readonly isCurrent: boolean }[];
}) {
  return (
    <nav className="tabs" aria-label={props.label}>
      <ul>
        {props.tabs.map(({ href, label, isCurrent }) => (
          <li key={href}>
            <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
