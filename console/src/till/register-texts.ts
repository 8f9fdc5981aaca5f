import { createTexts } from '../language.ts';

const en = {
  registerAsk: 'Which register is this?',
  registerAskText: 'The list then shows only what this register did. The number is kept on this device.',
  registerTitle: 'This device',
  registerLabel: 'Register number',
  branchName: 'Branch',
  registerHint: 'Leave it empty if the shop has one till only.',
  branchLabel: 'Branch number',
  branchHint: 'Leave it empty if the shop has one branch only.',
  registerWrong: 'A number has up to 15 digits.',
  save: 'Save',
  onlyOne: 'We have only one',
};

const es: typeof en = {
  registerAsk: '¿Qué caja es esta?',
  registerAskText:
    'La lista muestra entonces solo lo que hizo esta caja. El número se guarda en este dispositivo.',
  registerTitle: 'Este dispositivo',
  registerLabel: 'Número de caja',
  branchName: 'Sucursal',
  registerHint: 'Déjalo vacío si la tienda tiene una sola caja.',
  branchLabel: 'Número de sucursal',
  branchHint: 'Déjalo vacío si la tienda tiene una sola sucursal.',
  registerWrong: 'Un número tiene como mucho 15 cifras.',
  save: 'Guardar',
  onlyOne: 'Solo tenemos una',
};

/** The texts of the choice of a register, which is made once a device. */
export const useRegisterTexts = createTexts({ en, es });
