import type { ProgramFileProblem } from '@loyalty/sdk/admin';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/say.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { useEditing } from '../editing.ts';
import { isSame } from '../paths.ts';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import './file.css';
import { useFileTexts } from './texts.ts';
import { Answered } from '../../ui/answered.tsx';

/** The largest size of a program on the wire, in bytes. */
const LARGEST_FILE = 1024 * 1024;

/** The draft as a file, both ways. */
export default function FilePage() {
  const shared = useProgramTexts();
  const t = useFileTexts();
  const { api, shop } = usePlace();
  const { program, isChanged } = useEditing();
  const [typed, setTyped] = useState<string | null>(null);
  const file = useQuery({
    queryKey: [shop.id, 'program-file', program],
    queryFn: ({ signal }) => api.writeProgramFile(program, { signal }),
    staleTime: 60_000,
  });
  return (
    <div className="stack">
      <SectionHead title={shared.sections.file}>{t.lead}</SectionHead>
      {typed !== null ? (
        <Editor text={typed} onType={setTyped} onLeave={() => setTyped(null)} />
      ) : (
        <Answered query={file} rows={2} tall onPage>
          {({ text }) => (
            <section className="card inside stack">
              <Acts text={text} onOpen={setTyped} />
              {isChanged && <p className="small">{t.showsDraft}</p>}
              <pre className="program-file" tabIndex={0} aria-label={t.text}>
                {text}
              </pre>
            </section>
          )}
        </Answered>
      )}
    </div>
  );
}

function Acts({ text, onOpen }: { text: string; onOpen: (text: string) => void }) {
  const t = useFileTexts();
  const { shop } = usePlace();
  const picker = useRef<HTMLInputElement>(null);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say(t.copied),
      () => say(t.notCopied, { kind: 'wrong' }),
    );
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > LARGEST_FILE) return say(t.tooLarge, { kind: 'wrong' });
    const read = await file.text();
    if (read.includes('\0') || read.includes('\ufffd')) return say(t.otherKind, { kind: 'wrong' });
    onOpen(read);
  };
  return (
    <div className="acts">
      <Button onClick={() => void copy()}>{t.copy}</Button>
      <Button onClick={() => download(`${shop.slug}.yaml`, text)}>{t.download}</Button>
      <Button onClick={() => picker.current?.click()}>{t.open}</Button>
      <Button onClick={() => onOpen(text)}>{t.edit}</Button>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".yaml,.yml,.json,text/yaml,application/yaml,application/json,text/plain"
        aria-label={t.open}
        onChange={({ currentTarget }) => {
          void open(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

/** The text that is typed or was opened, with its errors by line. It becomes the draft only as a whole. */
function Editor(props: { text: string; onType: (text: string) => void; onLeave: () => void }) {
  const t = useFileTexts();
  const shared = useProgramTexts();
  const f = useFormat();
  const { api } = usePlace();
  const { inForce, base, isChanged, changeAll, undoably } = useEditing();
  const area = useRef<HTMLTextAreaElement>(null);
  const read = useMutation({ mutationFn: () => api.readProgramFile(props.text) });
  // What is typed while it is read makes the answer one about another text. It is then for nobody.
  const take = () =>
    read.mutate(undefined, {
      onSuccess: ({ program }) => {
        if (program === null) return;
        if (isSame(program, inForce.program) && !isChanged) say(t.same);
        else {
          const run = undoably(() => changeAll(program, base));
          say(t.taken, isChanged ? { undo: { label: t.restore, run } } : {});
        }
        props.onLeave();
      },
      onError: (error) => say(sayProblem(error, shared.shared), { kind: 'wrong' }),
    });
  const problems = read.data?.problems ?? [];
  const goTo = ({ line, column }: ProgramFileProblem) => {
    const at = offsetOf(props.text, line, column);
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
    // The browser scrolls a text area to its selection only when something is typed.
    if (area.current !== null) area.current.scrollTop = (line - 3) * lineHeightOf(area.current);
  };
  return (
    <section className="card inside stack">
      <div className="field">
        <label htmlFor="program-file">{t.editing}</label>
        <textarea
          id="program-file"
          ref={area}
          className="input program-file"
          rows={24}
          spellCheck={false}
          autoCapitalize="off"
          wrap="off"
          value={props.text}
          aria-invalid={problems.length > 0 || undefined}
          aria-describedby="program-file-hint program-file-problems"
          onChange={(event) => {
            read.reset();
            props.onType(event.currentTarget.value);
          }}
        />
        <p id="program-file-hint" className="small">
          {t.editHint}
        </p>
      </div>
      <div id="program-file-problems" role="alert">
        {problems.length > 0 && (
          <>
            <p className="wrong">{t.problems(problems.length, f)}</p>
            <ul className="file-problems">
              {problems.map((problem) => (
                <li key={`${problem.line} ${problem.column} ${problem.path} ${problem.message}`}>
                  <button type="button" className="text-button" onClick={() => goTo(problem)}>
                    {t.place(problem.line, problem.column, f)}
                  </button>{' '}
                  {[problem.path, problem.message].filter(Boolean).join(': ')}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className="acts">
        <Button look="main" busy={read.isPending} disabled={props.text.trim() === ''} onClick={take}>
          {t.take}
        </Button>
        <Button onClick={props.onLeave}>{t.leave}</Button>
      </div>
    </section>
  );
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

function lineHeightOf(area: HTMLTextAreaElement): number {
  return Number.parseFloat(getComputedStyle(area).lineHeight);
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser may still be reading it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
