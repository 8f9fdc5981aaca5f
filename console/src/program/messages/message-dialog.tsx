import type { MessageKind, MessageLanguage, MessagePreview } from '@loyalty/sdk/admin';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { isStatus } from '../../api.ts';
import { languageOf } from '../../language.ts';
import { SERVICE } from '../../place.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/say.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useEditing } from '../editing.ts';
import { useProgramTexts } from '../texts.ts';
import { useMessageTexts } from './texts.ts';
import { Answered } from '../../ui/answered.tsx';

const LANGUAGES = ['en', 'es'] as const;
const LONGEST_WORDS = 600;

/** A mail under the draft, in either language, with the words of the shop to change, and a button that sends one. */
export function MessageDialog({ kind, onClose }: { kind: MessageKind; onClose: () => void }) {
  const shared = useProgramTexts();
  const t = useMessageTexts();
  const { api, shop, session } = usePlace();
  const { program } = useEditing();
  const [language, setLanguage] = useState<MessageLanguage>(languageOf(program.locale));
  const [isText, setText] = useState(false);
  const id = useId();
  const calm = useDebounced(program, 300);
  const preview = useQuery({
    queryKey: [shop.id, 'message-preview', kind, language, calm],
    queryFn: ({ signal }) => api.previewMessage({ kind, language, program: calm }, { signal }),
    placeholderData: keepPreviousData,
  });
  const send = useMutation({
    mutationFn: () => api.sendTestMessage({ kind, language, program }),
    onSuccess: () => say(t.sentOne(session.email)),
    onError: (error) =>
      say(isStatus(error, 429) ? t.tooMany : sayProblem(error, shared.shared), { kind: 'wrong' }),
  });
  const title = shared.mails[kind];
  return (
    <Dialog title={title} wide onClose={onClose}>
      <div className="form message-dialog">
        <div className="field-pair">
          <div className="field">
            <label htmlFor={`${id}-language`}>{t.language}</label>
            <select
              id={`${id}-language`}
              className="input"
              value={language}
              onChange={(event) => setLanguage(event.currentTarget.value as MessageLanguage)}
            >
              {LANGUAGES.map((one) => (
                <option key={one} value={one}>
                  {t.languages[one]}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor={`${id}-form`}>{t.show}</label>
            <select
              id={`${id}-form`}
              className="input"
              value={isText ? 'text' : 'mail'}
              onChange={(event) => setText(event.currentTarget.value === 'text')}
            >
              <option value="mail">{t.asMail}</option>
              <option value="text">{t.asText}</option>
            </select>
          </div>
        </div>
        <Words kind={kind} language={language} />
        <div className="dialog-acts">
          <Button busy={send.isPending} onClick={() => send.mutate()}>
            {t.sendOne}
          </Button>
          <Button look="main" onClick={onClose}>
            {t.done}
          </Button>
        </div>
        <Answered query={preview} rows={2} tall>
          {(mail) => <Shown preview={mail} title={title} isText={isText} />}
        </Answered>
      </div>
    </Dialog>
  );
}

/** The shop's own words in this mail. The program has no words at all while nobody has written any. */
function Words({ kind, language }: { kind: MessageKind; language: MessageLanguage }) {
  const t = useMessageTexts();
  const { program, change } = useEditing();
  const id = useId();
  const words = program.mail.words;
  const set = (text: string) => {
    const of = { en: null, es: null, ...words?.[kind], [language]: text === '' ? null : text };
    const next = { ...NO_WORDS, ...words, [kind]: of.en === null && of.es === null ? null : of };
    change('mail.words', Object.values(next).every((one) => one === null) ? null : next);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{t.words}</label>
      <textarea
        id={id}
        className="input"
        rows={2}
        maxLength={LONGEST_WORDS}
        value={words?.[kind]?.[language] ?? ''}
        aria-describedby={`${id}-hint`}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} className="small">
        {t.wordsHint}
      </p>
    </div>
  );
}

const NO_WORDS: Readonly<Record<MessageKind, null>> = {
  invitation: null,
  welcome: null,
  expiring: null,
  birthday: null,
  level: null,
  reward: null,
};

function Shown({ preview, title, isText }: { preview: MessagePreview; title: string; isText: boolean }) {
  const t = useMessageTexts();
  return (
    <>
      <dl className="message-head">
        <div>
          <dt>{t.from}</dt>
          <dd>{preview.from}</dd>
        </div>
        <div>
          <dt>{t.subject}</dt>
          <dd>{preview.subject}</dd>
        </div>
      </dl>
      {isText ? (
        <pre className="message-text" tabIndex={0} aria-label={t.frame(title)}>
          {preview.text}
        </pre>
      ) : (
        <Frame html={preview.html} title={t.frame(title)} />
      )}
    </>
  );
}

/** The mail stands in a page of its own, which the service sends with other rules: it cannot reach the console. */
function Frame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(400);
  useEffect(() => {
    const show = () => frame.current?.contentWindow?.postMessage(html, '*');
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      if (source !== frame.current?.contentWindow) return;
      if (data === 'ready') show();
      if (typeof data === 'number' && data > 0) setHeight(Math.min(Math.ceil(data), 4_000));
    };
    window.addEventListener('message', onMessage);
    show();
    return () => window.removeEventListener('message', onMessage);
  }, [html]);
  return (
    <iframe
      ref={frame}
      className="message-frame"
      sandbox="allow-scripts"
      src={`${SERVICE}/console/_mail-preview`}
      title={title}
      height={height}
    />
  );
}
