import type { ReportName } from '@loyalty/sdk/admin';
import { useMutation } from '@tanstack/react-query';
import { saveFile } from '../ui/save-file.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Drawn } from '../ui/icon.tsx';
import { say } from '../ui/say.tsx';
import { sayProblem } from '../ui/states.tsx';
import { ICONS } from './icons.ts';
import { askFor, type Range } from './range.ts';
import { useReportTexts } from './texts.ts';

/** Saves a report as the service writes it. */
export function SaveReport({
  name,
  range,
  title,
}: {
  name: ReportName | 'endings' | 'earning';
  range: Pick<Range, 'from' | 'to' | 'by'>;
  title: string;
}) {
  const { api, shop } = usePlace();
  return (
    <Save
      title={title}
      name={`${shop.slug}-${name}-${range.from}-${range.to}.csv`}
      read={() => api.exportReport(name, askFor({ ...range, preset: null }))}
    />
  );
}

/** Saves a small table that the page has already. */
export function SaveTable({
  name,
  title,
  rows,
}: {
  name: string;
  title: string;
  rows: () => readonly (readonly Cell[])[];
}) {
  const { shop } = usePlace();
  return (
    <Save
      title={title}
      name={`${shop.slug}-${name}.csv`}
      read={() => Promise.resolve(new Blob([toCsv(rows())], { type: 'text/csv' }))}
    />
  );
}

type Cell = string | number | null;

/** A cell that begins like a formula gets an apostrophe, so that a spreadsheet shows it and does not run it. */
function toCsv(rows: readonly (readonly Cell[])[]): string {
  const write = (cell: Cell) => {
    if (typeof cell !== 'string') return String(cell ?? '');
    const text = /^'*[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `\uFEFF${rows.map((row) => row.map(write).join(',')).join('\r\n')}\r\n`;
}

function Save({ title, name, read }: { title: string; name: string; read: () => Promise<Blob> }) {
  const t = useReportTexts();
  const shared = useTexts();
  const save = useMutation({
    mutationFn: read,
    onSuccess(file) {
      saveFile(file, name);
      say(t.saved(name));
    },
    onError: (error) => say(sayProblem(error, shared), { kind: 'wrong' }),
  });
  return (
    <Button className="save" busy={save.isPending} aria-label={t.csvOf(title)} onClick={() => save.mutate()}>
      <Drawn path={ICONS.download} size={16} />
      {save.isPending ? t.saving : t.csv}
    </Button>
  );
}
