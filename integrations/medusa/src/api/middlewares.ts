import { authenticate, defineMiddlewares, validateAndTransformBody } from '@medusajs/framework/http';
import { AskedPreview, Bought, Code, Proof, SendAgain } from './validators';

const signedIn = authenticate('customer', ['session', 'bearer']);

export default defineMiddlewares({
  routes: [
    { matcher: '/store/loyalty/account', method: ['GET'], middlewares: [signedIn] },
    {
      matcher: '/store/loyalty/proof',
      method: ['POST'],
      middlewares: [signedIn, validateAndTransformBody(Proof)],
    },
    {
      matcher: '/store/loyalty/benefits',
      method: ['POST'],
      middlewares: [signedIn, validateAndTransformBody(Bought)],
    },
    {
      matcher: '/store/loyalty/preview',
      method: ['POST'],
      middlewares: [
        authenticate('customer', ['session', 'bearer'], { allowUnauthenticated: true }),
        validateAndTransformBody(AskedPreview),
      ],
    },
    {
      matcher: '/store/carts/:id/loyalty-codes',
      method: ['POST', 'DELETE'],
      middlewares: [validateAndTransformBody(Code)],
    },
    {
      matcher: '/admin/loyalty/send-again',
      method: ['POST'],
      middlewares: [validateAndTransformBody(SendAgain)],
    },
    // The signature is about the body as it arrived.
    { matcher: '/hooks/loyalty', method: ['POST'], bodyParser: { preserveRawBody: true, sizeLimit: '64kb' } },
  ],
});
