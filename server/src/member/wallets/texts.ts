import type { ShopFacts } from './card-facts.ts';

/** The words on a pass. */
export interface PassTexts {
  readonly card: (shop: string) => string;
  readonly points: string;
  readonly waiting: string;
  readonly stamps: (have: number, need: number) => string;
  readonly member: string;
  readonly tier: string;
  readonly number: string;
  readonly notValid: string;
  readonly notValidText: (shop: string) => string;
  readonly about: string;
  readonly aboutText: (shop: string) => string;
}

const en: PassTexts = {
  card: (shop) => `${shop} member card`,
  points: 'Points',
  waiting: 'On the way',
  stamps: (have, need) => `${have} of ${need}`,
  member: 'Member',
  tier: 'Tier',
  number: 'Card number',
  notValid: 'Not valid',
  notValidText: (shop) => `This card is not valid at the moment. Ask at ${shop}.`,
  about: 'How to use this card',
  aboutText: (shop) =>
    `Show this code when you pay at ${shop}. Your points appear here soon after each purchase.`,
};

const es: PassTexts = {
  card: (shop) => `Tarjeta de ${shop}`,
  points: 'Puntos',
  waiting: 'En camino',
  stamps: (have, need) => `${have} de ${need}`,
  member: 'Socio',
  tier: 'Nivel',
  number: 'Número de tarjeta',
  notValid: 'No válida',
  notValidText: (shop) => `Esta tarjeta no es válida en este momento. Pregunta en ${shop}.`,
  about: 'Cómo usar esta tarjeta',
  aboutText: (shop) =>
    `Muestra este código al pagar en ${shop}. Tus puntos aparecen aquí poco después de cada compra.`,
};

export function passTextsOf({ language }: ShopFacts): PassTexts {
  return language === 'es' ? es : en;
}

/** Returns a card’s number in groups of three, as people read it out. */
export function groupDigits(code: number): string {
  return String(code).replaceAll(/\d{3}(?=\d)/g, '$& ');
}
