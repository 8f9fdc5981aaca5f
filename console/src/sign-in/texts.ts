import { createTexts } from '../language.ts';

/** The texts of signing in that nobody needs who is signed in, so that the till does not load them. */
const en = {
  welcome: 'Sign in',
  welcomeText: 'For the people of the shop. We send you a code by e-mail.',
  linkTitle: 'Sign in to the console',
  linkText: 'You have opened the link from your e-mail. It works once.',
  linkWrong: 'This link has been used or is too old. Ask for a new code below.',
  againTitle: 'Sign in again',
  againText:
    'Your session has ended. What you have typed is still here, and goes on after you have signed in.',
  againCode: (email: string) => `We have sent a code to ${email}.`,
  againOther: 'Sign in as somebody else',
  againOtherHint: 'This leaves the page. What you have typed is lost.',
  freshTitle: 'Is it still you?',
  freshText: (email: string) =>
    `This needs a code that is less than 15 minutes old. We have sent one to ${email}. Nothing has been done yet.`,
  freshEnter: 'Go on',
  sendingCode: 'Sending a code…',
};

const es: typeof en = {
  welcome: 'Iniciar sesión',
  welcomeText: 'Para el personal de la tienda. Te enviamos un código por correo.',
  linkTitle: 'Entrar en la consola',
  linkText: 'Has abierto el enlace de tu correo. Funciona una sola vez.',
  linkWrong: 'Este enlace ya se usó o ya no sirve. Pide un código nuevo aquí abajo.',
  againTitle: 'Vuelve a iniciar sesión',
  againText: 'Tu sesión ha terminado. Lo que has escrito sigue aquí y continúa cuando entres de nuevo.',
  againCode: (email) => `Hemos enviado un código a ${email}.`,
  againOther: 'Entrar como otra persona',
  againOtherHint: 'Así sales de esta página y se pierde lo que has escrito.',
  freshTitle: '¿Sigues siendo tú?',
  freshText: (email) =>
    `Para esto hace falta un código de hace menos de 15 minutos. Lo hemos enviado a ${email}. Aún no se ha hecho nada.`,
  freshEnter: 'Continuar',
  sendingCode: 'Enviando un código…',
};

export const useSignInTexts = createTexts({ en, es });
