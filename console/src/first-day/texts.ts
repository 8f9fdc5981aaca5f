import { createTexts } from '../language.ts';

const en = {
  title: (shop: string) => `${shop} is open`,
  text: 'Record the first purchase: the customer’s e-mail address is enough. The points wait for whoever it is.',
  toTill: 'Open the till',
  clubTitle: 'Your members’ page',
  clubText: 'Here people join, see their points and trade them for benefits.',
  clubLabel: 'Address',
  openClub: 'Look at it',
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'The browser did not allow that. Select the text and copy it.',
  posterTitle: 'A poster for the counter',
  posterText: 'With a code that phones scan, in your color.',
  toPoster: 'Print the poster',
  keyTitle: 'For your online shop or till program',
  keyText: 'Programs record purchases with an API key. You can make one later, too.',
  makeKey: 'Make an API key',
  keyName: 'First key',
  keyLost:
    'No answer came. A key may have been made that nobody has seen. Look at your keys: if “First key” is there, revoke it and create another.',
  toKeys: 'Look at the keys',
  keyOnce: 'Copy it now: it is not shown again. Anyone who has it can record purchases and redeem codes.',
  keyLabel: 'API key',
  curlLabel: 'A first purchase, as a command for a terminal',

  posterPage: 'Poster',
  posterHint: 'Fits A4 and Letter. In the print dialog, switch background graphics on and margins off.',
  print: 'Print',
  back: 'Back',
  plain: 'Less ink',
  posterSays: (shop: string) => `The poster of ${shop}`,
  onlyHere: (address: string) =>
    `Do not print it yet: ${address} works only on this computer, so phones cannot open the code. Set PUBLIC_URL to the public address of your service.`,
};

type Texts = typeof en;

const es: Texts = {
  title: (shop) => `${shop} está abierta`,
  text: 'Registra la primera compra: basta el correo de la persona. Los puntos la esperan.',
  toTill: 'Abrir la caja',
  clubTitle: 'La página de tus clientes',
  clubText: 'Aquí la gente se une, ve sus puntos y los canjea por beneficios.',
  clubLabel: 'Dirección',
  openClub: 'Verla',
  copy: 'Copiar',
  copied: 'Copiado.',
  notCopied: 'El navegador no lo permitió. Selecciona el texto y cópialo.',
  posterTitle: 'Un cartel para el mostrador',
  posterText: 'Con un código que leen los teléfonos, en tu color.',
  toPoster: 'Imprimir el cartel',
  keyTitle: 'Para tu tienda en línea o tu programa de caja',
  keyText: 'Los programas registran compras con una clave de API. También puedes crearla más tarde.',
  makeKey: 'Crear una clave de API',
  keyName: 'Primera clave',
  keyLost:
    'No llegó respuesta. Puede que se haya creado una clave que nadie ha visto. Mira tus claves: si está «Primera clave», revócala y crea otra.',
  toKeys: 'Ver las claves',
  keyOnce: 'Cópiala ahora: no se vuelve a mostrar. Quien la tenga puede registrar compras y canjear códigos.',
  keyLabel: 'Clave de API',
  curlLabel: 'Una primera compra, como comando para una terminal',

  posterPage: 'Cartel',
  posterHint: 'Cabe en A4 y en Carta. Al imprimir, activa los gráficos de fondo y quita los márgenes.',
  print: 'Imprimir',
  back: 'Volver',
  plain: 'Menos tinta',
  posterSays: (shop) => `El cartel de ${shop}`,
  onlyHere: (address) =>
    `No lo imprimas todavía: ${address} solo funciona en este ordenador, así que los teléfonos no pueden abrir el código. Pon en PUBLIC_URL la dirección pública de tu servicio.`,
};

/** The texts of the first day and of the poster. */
export const useFirstDayTexts = createTexts({ en, es });
