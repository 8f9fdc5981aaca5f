import { createTexts } from '../language.ts';

const en = {
  title: 'Hold the code in front of the camera',
  starting: 'Starting the camera…',
  refusedTitle: 'The camera is not allowed',
  refused:
    'The browser has been told not to give this page the camera. Allow it with the icon beside the address, then try again. Or type the digits below the code.',
  noneTitle: 'There is no camera',
  none: 'This device has no camera, or another program is using it. Type the digits below the code.',
  other: 'Other camera',
  foreign: 'This is a code, but not one of a member or a benefit.',
  type: 'Type the digits',
};

const es: typeof en = {
  title: 'Pon el código delante de la cámara',
  starting: 'Encendiendo la cámara…',
  refusedTitle: 'La cámara no está permitida',
  refused:
    'El navegador tiene orden de no dar la cámara a esta página. Permítela con el icono junto a la dirección y vuelve a intentarlo. O escribe las cifras que hay debajo del código.',
  noneTitle: 'No hay cámara',
  none: 'Este dispositivo no tiene cámara, o la usa otro programa. Escribe las cifras que hay debajo del código.',
  other: 'Otra cámara',
  foreign: 'Es un código, pero no de un cliente ni de un beneficio.',
  type: 'Escribir las cifras',
};

/** The texts of the camera, which is loaded when somebody opens it. */
export const useCameraTexts = createTexts({ en, es });
