import type { MessageKind, MessageState } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { TextButton } from '../../ui/button.tsx';
import { useEditing } from '../editing.ts';
import { anchorOf, ProblemAt, TextAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import './messages.css';
import { MessageDialog } from './message-dialog.tsx';
import { useMessageTexts } from './texts.ts';
import { Answered } from '../../ui/answered.tsx';

/** The mails that members get: each kind with its switch, how many were sent and failed, and how it looks. */
export default function MessagesPage() {
  const shared = useProgramTexts();
  const t = useMessageTexts();
  const { api, shop } = usePlace();
  const [shown, setShown] = useState<MessageKind | null>(null);
  const messages = useQuery({
    queryKey: [shop.id, 'messages'],
    queryFn: ({ signal }) => api.getMessages({ signal }),
  });
  return (
    <div className="stack">
      <SectionHead title={shared.sections.messages}>{t.lead}</SectionHead>
      <Answered query={messages} rows={6} onPage>
        {({ messages: kinds }) => (
          <>
            <ul className="card rows">
              {kinds.map((message) => (
                <Kind key={message.kind} message={message} onLook={() => setShown(message.kind)} />
              ))}
            </ul>
            <p className="small">{t.inDays}</p>
          </>
        )}
      </Answered>
      <section className="card inside form">
        <TextAt path="mail.sender" label={t.sender} hint={t.senderHint} autoComplete="off" />
      </section>
      {shown !== null && <MessageDialog kind={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

function Kind({ message, onLook }: { message: MessageState; onLook: () => void }) {
  const shared = useProgramTexts();
  const t = useMessageTexts();
  const f = useFormat();
  const { program, change } = useEditing();
  const { kind, idle, sent, failed, can_stop: canStop } = message;
  const { mail } = program;
  const place = `mail.messages.${kind}`;
  const title = shared.mails[kind];
  const { en = null, es = null } = mail.words?.[kind] ?? {};
  const own = en ?? es;
  const isOn = kind === 'expiring' ? (mail.messages.expiring ?? mail.reminders) : mail.messages[kind];
  return (
    <li className="row message" id={anchorOf(place)}>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => change(place, event.currentTarget.checked)}
        />
        <span className="row-words">
          <span className="name">{title}</span>
          <span className="small">{[t.when[kind], canStop && t.canStop].filter(Boolean).join(' ')}</span>
          {own !== null && <span className="small own-words">{t.ownWords(own)}</span>}
          {idle !== null && isOn && <span className="small ending">{t.idle[idle]}</span>}
          <ProblemAt path={place} />
        </span>
      </label>
      <span className="small message-figures">
        <span>{t.sent(sent, f)}</span>
        {failed > 0 && <span className="ending">{t.failed(failed, f)}</span>}
      </span>
      <TextButton onClick={onLook} aria-label={t.lookAt(title)}>
        {t.look}
      </TextButton>
    </li>
  );
}
