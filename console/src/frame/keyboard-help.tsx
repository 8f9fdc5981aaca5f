import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { setSingleKeys, singleKeys } from './single-keys.ts';

/** Lists the keys that work everywhere. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  const isOn = useStore(singleKeys);
  const keys: readonly (readonly [string[], string])[] = [
    [['/'], t.keys.search],
    [['Ctrl', 'K'], t.keys.palette],
    [['?'], t.keys.help],
    [['Tab'], t.keys.next],
    [['↑', '↓'], t.keys.move],
    [['Enter'], t.keys.enter],
    [['Esc'], t.keys.close],
  ];
  return (
    <Dialog title={t.keyboard} onClose={onClose}>
      <dl className="facts">
        {keys.map(([names, what]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        {t.keys.single}
      </label>
    </Dialog>
  );
}
