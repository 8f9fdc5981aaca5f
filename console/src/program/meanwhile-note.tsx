import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { useAuthorName } from './authors.ts';
import { useEditing } from './editing.ts';
import { useProgramTexts } from './texts.ts';

/** Somebody else has published since the changes began: says so on every page, and leads to the decision. */
export function MeanwhileNote() {
  const t = useProgramTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { isBehind, base, inForce } = useEditing();
  const nameOf = useAuthorName();
  if (!isBehind) return null;
  return (
    <div className="strip ending meanwhile" role="alert">
      <Icon name="alert" />
      <span className="row-words">
        <b>{t.behindTitle(nameOf(inForce.by))}</b>
        <span>{t.behindText(t.version(base.version, f), t.version(inForce.version, f))}</span>
      </span>
      <Link className="button" href={path('program', 'review')}>
        {t.decide}
      </Link>
    </div>
  );
}
