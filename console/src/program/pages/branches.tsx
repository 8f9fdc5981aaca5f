import type { Program } from '@loyalty/sdk/admin';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../ui/say.tsx';
import { Empty } from '../../ui/states.tsx';
import { useEditing } from '../editing.ts';
import { anchorOf, NumberAt, ProblemAt, TextAt } from '../parts.tsx';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';
import { usePageTexts } from './texts.ts';

const BRANCHES = 'branches';
type Branch = Program['branches'][number];

/** The names of the branches and of their registers, by the numbers that purchases bring. */
export default function BranchesPage() {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const { program, change } = useEditing();
  const { branches } = program;
  const add = () => {
    const id = nextId(branches);
    change(`${BRANCHES}[${branches.length}]`, { id, name: t.newBranch(id), registers: [] } satisfies Branch);
  };
  const addButton = (
    <Button onClick={add}>
      <Icon name="plus" size={18} />
      {t.addBranch}
    </Button>
  );
  return (
    <div className="stack">
      <SectionHead title={shared.sections.branches} act={branches.length > 0 && addButton}>
        {t.branchesLead}
      </SectionHead>
      {branches.length === 0 ? (
        <section className="card">
          <Empty title={t.branchesNone} act={addButton}>
            {t.branchesNoneText}
          </Empty>
        </section>
      ) : (
        <ul className="stack">
          {branches.map((branch, index) => (
            <BranchCard key={index} branch={branch} index={index} />
          ))}
        </ul>
      )}
      <ProblemAt path={BRANCHES} />
    </div>
  );
}

function BranchCard({ branch, index }: { branch: Branch; index: number }) {
  const shared = useProgramTexts();
  const t = usePageTexts();
  const { change, undoably } = useEditing();
  const place = `${BRANCHES}[${index}]`;
  const { registers } = branch;
  const remove = () => {
    const run = undoably(() => change(place, undefined));
    say(t.branchRemoved(branch.name), { undo: { label: t.undo, run } });
  };
  const addRegister = () => {
    const id = nextId(registers);
    change(`${place}.registers`, [...registers, { id, name: t.newRegister(id) }]);
  };
  return (
    <li className="card inside form" id={anchorOf(place)}>
      <div className="row-head">
        <h2>{branch.name === '' ? '…' : branch.name}</h2>
        <button type="button" className="round" aria-label={t.removeNamed(branch.name)} onClick={remove}>
          <Icon name="close" size={18} />
        </button>
      </div>
      <div className="field-pair">
        <TextAt path={`${place}.name`} label={shared.labels['branches[].name']!} autoComplete="off" />
        <NumberAt path={`${place}.id`} label={t.number} hint={t.branchNumberHint} />
      </div>
      {registers.map((register, at) => (
        <div className="row-head" key={at}>
          <div className="field-pair row-words">
            <TextAt path={`${place}.registers[${at}].name`} label={t.registerName} autoComplete="off" />
            <NumberAt path={`${place}.registers[${at}].id`} label={t.number} />
          </div>
          <button
            type="button"
            className="round"
            aria-label={t.removeNamed(register.name)}
            onClick={() => change(`${place}.registers[${at}]`, undefined)}
          >
            <Icon name="close" size={18} />
          </button>
        </div>
      ))}
      <p>
        <Button onClick={addRegister}>
          <Icon name="plus" size={18} />
          {t.addRegister}
        </Button>
      </p>
      <ProblemAt path={place} />
    </li>
  );
}

const nextId = (taken: readonly { readonly id: number }[]): number =>
  taken.reduce((highest, { id }) => (typeof id === 'number' ? Math.max(highest, id) : highest), 0) + 1;
