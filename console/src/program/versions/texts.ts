import type { Format } from '../../format.ts';
import { createTexts } from '../../language.ts';

const en = {
  lead: 'Every version that was ever in force. To go back to one, you look at what that changes and publish it as a new version.',
  current: 'in force',
  changes: (n: number, f: Format) => f.plural(n, { one: '1 change', other: `${f.number(n)} changes` }),
  first: 'the beginning',
  by: (name: string) => `by ${name}`,
  more: 'Show older versions',
  whatItChanged: 'What it changed',
  changedNothing: 'Nothing that can be seen in the program.',
  whatBack: 'What going back to it would change now',
  backNothing: 'Nothing. The program in force says the same.',
  back: 'Go back to this version',
  broughtBack: (version: string) => `Your draft is ${version} now. Look at what it changes, then publish it.`,
  restore: 'Take my changes again',
  since: 'In force from',
  author: 'Published by',
  note: 'Note',
};

const es: typeof en = {
  lead: 'Todas las versiones que han estado en vigor. Para volver a una, mira qué cambia y publícala como una versión nueva.',
  current: 'en vigor',
  changes: (n, f) => f.plural(n, { one: '1 cambio', other: `${f.number(n)} cambios` }),
  first: 'el comienzo',
  by: (name) => `por ${name}`,
  more: 'Mostrar versiones anteriores',
  whatItChanged: 'Qué cambió',
  changedNothing: 'Nada que se vea en el programa.',
  whatBack: 'Qué cambiaría ahora volver a ella',
  backNothing: 'Nada. El programa en vigor dice lo mismo.',
  back: 'Volver a esta versión',
  broughtBack: (version) => `Tu borrador es ahora: ${version}. Mira qué cambia y publícalo.`,
  restore: 'Recuperar mis cambios',
  since: 'En vigor desde',
  author: 'Publicada por',
  note: 'Nota',
};

export const useVersionTexts = createTexts({ en, es });
