/** The attacker's own process, so that sending the load does not disturb the measuring. */
import { attacks } from '../attacks.ts';
import type { Target } from './attack.ts';

/** The order that the parent sends to begin. Any later message ends the load. */
export interface Order {
  readonly name: string;
  readonly part: 'harmless' | 'attack';
  readonly target: Target;
  readonly prepared: unknown;
}

process.once('message', (order: Order) => {
  let over = false;
  process.once('message', () => (over = true));
  void run(order, () => over);
});

// Everything is loaded, so the load can begin at once.
process.send!('ready');

// The end of the parent is the end of the attack.
process.once('disconnect', () => process.exit());

async function run({ name, part, target, prepared }: Order, isOver: () => boolean): Promise<void> {
  const { load } = attacks.find((attack) => attack.name === name)!;
  const tally = await load![part]({ ...target, prepared, isOver });
  process.send!(tally);
}
