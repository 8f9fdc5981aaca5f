import { createTexts } from '../../language.ts';
import type { Piece } from '../rules/sentence.ts';

const en = {
  lead: 'Cards that purchases stamp. A full one gives a code.',
  add: 'Add a stamp card',
  none: 'No stamp cards yet',
  noneText: 'Ten coffees, and the next one is free: members see their card as soon as you publish.',
  newTitle: 'A new stamp card',
  newName: 'Name',
  newNameHint: 'What members read, such as “Ten coffees”.',
  newGift: 'A full card gives',
  newGiftHint: 'Such as “A free coffee”. It becomes a benefit that nobody can buy.',
  create: 'Add it',
  cancel: 'Cancel',
  end: 'End',
  ended: (title: string) =>
    `${title} ends once you publish. Codes of full cards stay good; no other card can be filled any more.`,
  undo: 'Undo',
  needHint: 'Members keep their stamps if it changes.',
  giftHint: 'A benefit that is not on sale.',
  nameOfGift: (id: string) => (id === '' ? 'Choose one' : id),
  minutes: 'minutes',
  pauseHint: 'Purchases of a member that are closer together stamp once. Leave it empty for no pause.',
  months: 'months',
  monthsHint: 'From the first stamp. Leave it empty for cards that never end.',

  /** The pieces of a sentence: words, what the owner chose, words. */
  said: {
    need: (number: string): Piece => ['', `${number} stamps`, ' give'],
    gift: (title: string): Piece => ['', title, ':'],
    each: (isPerUnit: boolean): Piece => ['one for each ', isPerUnit ? 'unit' : 'purchase'],
    of: (names: string): Piece => ['of ', names],
    least: (money: string, isPerUnit: boolean): Piece => [
      isPerUnit ? 'in purchases of at least ' : 'of at least ',
      money,
    ],
    first: ['in the ', 'first purchase'] as Piece,
    pause: (minutes: unknown, number: string): Piece => [
      'with ',
      `${number} ${minutes === 1 ? 'minute' : 'minutes'}`,
      ' between two purchases',
    ],
    within: (months: unknown, number: string): Piece => [
      'if the card is full within ',
      `${number} ${months === 1 ? 'month' : 'months'}`,
    ],
  },
};

const es: typeof en = {
  lead: 'Tarjetas que sellan las compras. Una llena da un código.',
  add: 'Añadir una tarjeta',
  none: 'Todavía no hay tarjetas de sellos',
  noneText: 'Diez cafés, y el siguiente es gratis: los clientes ven su tarjeta en cuanto publicas.',
  newTitle: 'Una tarjeta nueva',
  newName: 'Nombre',
  newNameHint: 'Lo que leen los clientes, como «Diez cafés».',
  newGift: 'Una tarjeta llena da',
  newGiftHint: 'Como «Un café gratis». Pasa a ser un beneficio que nadie puede comprar.',
  create: 'Añadirla',
  cancel: 'Cancelar',
  end: 'Terminar',
  ended: (title) =>
    `${title} terminará cuando publiques. Los códigos de las tarjetas llenas siguen valiendo; ninguna otra se podrá llenar.`,
  undo: 'Deshacer',
  needHint: 'Los clientes conservan sus sellos si cambia.',
  giftHint: 'Un beneficio que no está a la venta.',
  nameOfGift: (id) => (id === '' ? 'Elige uno' : id),
  minutes: 'minutos',
  pauseHint: 'Las compras de un cliente más seguidas sellan una vez. Déjalo vacío para no tener pausa.',
  months: 'meses',
  monthsHint: 'Desde el primer sello. Déjalo vacío para tarjetas que no terminan.',
  said: {
    need: (number) => ['', `${number} sellos`, ' dan'],
    gift: (title) => ['', title, ':'],
    each: (isPerUnit) => ['uno por cada ', isPerUnit ? 'unidad' : 'compra'],
    of: (names) => ['de ', names],
    least: (money, isPerUnit) => [isPerUnit ? 'en compras de al menos ' : 'de al menos ', money],
    first: ['en la ', 'primera compra'],
    pause: (minutes, number) => [
      'con ',
      `${number} ${minutes === 1 ? 'minuto' : 'minutos'}`,
      ' entre dos compras',
    ],
    within: (months, number) => ['si la tarjeta se llena en ', `${number} ${months === 1 ? 'mes' : 'meses'}`],
  },
};

export type StampTexts = typeof en;

export const useStampTexts = createTexts({ en, es });
