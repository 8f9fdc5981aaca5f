import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { usePlace } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import type { Difference } from './differences.ts';
import { patternOf } from './paths.ts';
import { smallPicture } from './small-picture.ts';
import { sectionOf } from './sections.ts';
import { useProgramTexts } from './texts.ts';
import { isPictureAt, useValueText } from './value-text.tsx';

/** Differences between two programs in words, one row each. With `acts`, each row has buttons of its own. */
export function DifferencesList(props: {
  differences: readonly Difference[];
  /** True if each name leads to the page where the value is edited. */
  isEditable?: boolean;
  acts?: (difference: Difference) => ReactNode;
}) {
  const t = useProgramTexts();
  const { path } = usePlace();
  return (
    <ul className="differences">
      {props.differences.map((difference) => {
        const section = sectionOf(difference.path);
        const name = t.labels[patternOf(difference.path)] ?? difference.path;
        return (
          <li key={`${difference.kind} ${difference.path}`} className="row">
            <span className="row-words">
              {props.isEditable === true && section !== undefined ? (
                <Link className="name" href={path('program', section.name)}>
                  {name}
                </Link>
              ) : (
                <span className="name">{name}</span>
              )}
              <span className="small">
                {[section && t.sections[section.name], difference.entry].filter(Boolean).join(' · ')}
              </span>
            </span>
            <span className="then-now">
              <What difference={difference} />
            </span>
            {props.acts?.(difference)}
          </li>
        );
      })}
    </ul>
  );
}

function What({ difference }: { difference: Difference }) {
  const t = useProgramTexts();
  const valueText = useValueText();
  const { kind, path, before, after } = difference;
  if (kind === 'moved') return <b>{t.difference.moved}</b>;
  if (kind !== 'changed') {
    const isPeriod = path.startsWith('earning.double_points');
    return (
      <>
        {isPeriod && <span>{valueText(path, kind === 'added' ? after : before)}</span>}{' '}
        <b>
          {path.startsWith('benefits') && kind === 'removed' ? t.difference.withdrawn : t.difference[kind]}
        </b>
      </>
    );
  }
  return (
    <>
      <s>
        <span className="unseen">{t.was} </span>
        <Value path={path} value={before} />
      </s>{' '}
      <Icon name="arrow" size={16} />
      <span className="unseen">{t.to} </span>{' '}
      <b>
        <Value path={path} value={after} />
      </b>
    </>
  );
}

function Value({ path, value }: { path: string; value: unknown }) {
  const valueText = useValueText();
  const text = valueText(path, value);
  if (isPictureAt(path) && typeof value === 'string' && value !== '')
    return <Thumb key={value} address={value} text={text} />;
  if (/(^|\.)color$/.test(path) && typeof value === 'string')
    return (
      <span className="swatch-line">
        <span className="color-shown" style={{ background: value }} />
        {text}
      </span>
    );
  return text;
}

/** A picture, small. One that cannot be loaded is told by its name. */
function Thumb({ address, text }: { address: string; text: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return text;
  return (
    <img
      className="difference-picture"
      src={smallPicture(address)}
      alt={text}
      title={text}
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}
