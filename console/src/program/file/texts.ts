import type { Format } from '../../format.ts';
import { createTexts } from '../../language.ts';

const en = {
  lead: 'The whole program as text, as the command line writes and reads it. For a copy, for version control, or for many changes at once.',
  text: 'The program as a file',
  showsDraft: 'With your changes, which are not in force yet.',
  copy: 'Copy',
  copied: 'The file is copied.',
  notCopied: 'The browser did not allow it. Select the text and copy it.',
  download: 'Download',
  open: 'Open a file',
  edit: 'Edit here',
  editing: 'Edit the file',
  editHint: 'What you write becomes your draft. It is not in force before you publish it.',
  take: 'Use as my draft',
  leave: 'Leave without changes',
  taken: 'The file is your draft now.',
  restore: 'Take my changes again',
  same: 'The file says the same as the program in force.',
  otherKind: 'This is no text file. Choose a program file in YAML or JSON.',
  tooLarge: 'The file is larger than a program can be.',
  problems: (n: number, f: Format) =>
    f.plural(n, { one: '1 place needs a correction', other: `${f.number(n)} places need a correction` }),
  place: (line: number, column: number, f: Format) => `Line ${f.number(line)}, column ${f.number(column)}`,
};

const es: typeof en = {
  lead: 'Todo el programa como texto, tal como lo escribe y lo lee la línea de comandos. Para una copia, para el control de versiones o para muchos cambios a la vez.',
  text: 'El programa como archivo',
  showsDraft: 'Con tus cambios, que todavía no están en vigor.',
  copy: 'Copiar',
  copied: 'El archivo está copiado.',
  notCopied: 'El navegador no lo permitió. Selecciona el texto y cópialo.',
  download: 'Descargar',
  open: 'Abrir un archivo',
  edit: 'Editar aquí',
  editing: 'Editar el archivo',
  editHint: 'Lo que escribas será tu borrador. No entra en vigor hasta que lo publiques.',
  take: 'Usar como mi borrador',
  leave: 'Salir sin cambios',
  taken: 'El archivo es ahora tu borrador.',
  restore: 'Recuperar mis cambios',
  same: 'El archivo dice lo mismo que el programa en vigor.',
  otherKind: 'No es un archivo de texto. Elige un archivo de programa en YAML o JSON.',
  tooLarge: 'El archivo es más grande de lo que puede ser un programa.',
  problems: (n, f) =>
    f.plural(n, { one: '1 lugar necesita corrección', other: `${f.number(n)} lugares necesitan corrección` }),
  place: (line, column, f) => `Línea ${f.number(line)}, columna ${f.number(column)}`,
};

export const useFileTexts = createTexts({ en, es });
