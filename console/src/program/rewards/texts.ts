import { createTexts } from '../../language.ts';

const en = {
  lead: 'What the program gives by itself.',
  kinds: { none: 'Nothing', points: 'Points', benefit: 'A benefit' },
  gives: 'What it gives',
  points: 'Points',
  benefit: 'Which one',
  hints: {
    welcome: 'Once for each person, for ever: leaving and joining again gives nothing.',
    birthday: 'On the day, once a year. A birthday that is told on the day itself waits a year.',
    monthly_top: 'To whoever bought for the most in a month, once the month is settled.',
  },
  settle: 'Days before the month is settled',
  settleHint: 'Returns of these days still count.',
  begins: 'A reward counts from the day on which it is published, a month from the first whole one.',
  noBenefit: 'There is no benefit for this yet. Add one under Benefits and choose when it is given.',
  toBenefits: 'To the benefits',
  pick: 'Choose a benefit',
};

const es: typeof en = {
  lead: 'Lo que el programa da por sí solo.',
  kinds: { none: 'Nada', points: 'Puntos', benefit: 'Un beneficio' },
  gives: 'Qué da',
  points: 'Puntos',
  benefit: 'Cuál',
  hints: {
    welcome: 'Una vez por persona, para siempre: salir y volver a entrar no da nada.',
    birthday: 'El mismo día, una vez al año. Un cumpleaños que se indica ese mismo día espera un año.',
    monthly_top: 'A quien más compró en un mes, cuando el mes está cerrado.',
  },
  settle: 'Días hasta cerrar el mes',
  settleHint: 'Las devoluciones de esos días todavía cuentan.',
  begins: 'Una recompensa cuenta desde el día en que se publica; un mes, desde el primero completo.',
  noBenefit: 'Todavía no hay un beneficio para esto. Añade uno en Beneficios y elige cuándo se da.',
  toBenefits: 'A los beneficios',
  pick: 'Elige un beneficio',
};

export const useRewardTexts = createTexts({ en, es });
