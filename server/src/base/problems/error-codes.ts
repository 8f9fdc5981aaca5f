/** One code of `X-Error-Code`: the statuses that it comes with, what it means, and what a caller does about it. */
interface Explained {
  readonly statuses: readonly number[];
  readonly means: string;
  readonly next: string;
  /** True if only calls below `/admin/v1` answer it. */
  readonly backOffice?: true;
}

/**
 * Every word that `X-Error-Code` can be. Programs compare these words, so one that was released is never renamed and never
 * changes its meaning. `docs/errors.md` is generated from this list. A code must not tell apart what its status hides.
 */
export const ERROR_CODES = {
  // The request.
  invalid: {
    statuses: [422],
    means: 'A field, parameter or header is missing or not valid.',
    next: 'Read `X-Error-Hint` about the first issue, and `detail` about all of them.',
  },
  wrong_content_type: {
    statuses: [422],
    means: 'The body is not declared as JSON. `curl -d` declares a form.',
    next: 'Send `Content-Type: application/json`.',
  },
  not_json: {
    statuses: [422],
    means: 'The body is not valid JSON.',
    next: 'Mend it at the position in `X-Error-Hint`.',
  },
  missing_commerce_id: {
    statuses: [422],
    means: 'The call needs `X-Commerce-Id`.',
    next: 'Send it with the number of the commerce.',
  },
  not_a_commerce_id: {
    statuses: [422],
    means: '`X-Commerce-Id` is not a number; it may be the slug.',
    next: 'Send the `commerce_id` that `loyalty apply` prints.',
  },
  not_a_client_code: {
    statuses: [404, 422],
    means: 'This cannot be the code of a member; it may be the code of a benefit or an e-mail address.',
    next: 'Send the 9 digits of the card of the member.',
  },
  not_a_voucher_code: {
    statuses: [404, 422],
    means: 'This cannot be the code of a bought benefit; it may be the code of a member or a `benefit_id`.',
    next: 'Send the 14 digits of the bought benefit.',
  },
  cursor_lost: {
    statuses: [409],
    means:
      'The cursor of the feed is of another commerce, older than 90 days, from before a restore, or none at all.',
    next: 'Start again with `GET /v1/events/snapshot`.',
  },
  too_many_webhooks: {
    statuses: [409],
    means: 'The commerce has as many webhooks as it can have.',
    next: 'Delete those that nobody needs.',
    backOffice: true,
  },
  webhook_disabled: {
    statuses: [409],
    means: 'The webhook is switched off, so nothing is sent to it.',
    next: 'Switch it on first.',
    backOffice: true,
  },
  replay_running: {
    statuses: [409],
    means: 'A replay of this webhook is under way.',
    next: 'Wait until it has ended.',
    backOffice: true,
  },
  key_reused: {
    statuses: [422],
    means: 'This `Idempotency-Key` was used for a different request.',
    next: 'Use a new key for each operation, and the same one only to repeat it.',
  },
  body_too_large: {
    statuses: [413],
    means:
      'The body is over 16 KiB, over 64 KiB if it has lines, over 1 MiB for a program, or over 7 MB for a picture.',
    next: 'Send only the documented fields.',
  },
  headers_too_large: {
    statuses: [431],
    means: 'The headers are over 16 KiB.',
    next: 'Send fewer or shorter headers.',
  },
  malformed_http: {
    statuses: [400, 412, 416],
    means: 'The request is not valid HTTP/1.1, or two servers could read it differently.',
    next: 'Use a common HTTP library.',
  },
  request_timeout: {
    statuses: [408],
    means: 'The request took too long to arrive.',
    next: 'Send it again.',
  },

  // The caller.
  scope: {
    statuses: [401, 403],
    means: 'The API key is valid, and does not have the scope that the call needs.',
    next: 'Use a key with the scope that `X-Error-Hint` names, or make one. [Scopes](scopes.md).',
  },
  missing_credential: {
    statuses: [401],
    means: 'There is no `Authorization` header.',
    next: 'Send `Authorization: Bearer`, a space, and the API key or the access token.',
  },
  wrong_credential: {
    statuses: [401],
    means: 'The credential is not valid, has expired, is of the wrong kind or has no `Bearer` before it.',
    next: 'Read `message`. Renew an access token with `POST /v1/auth/refresh`.',
  },
  refresh_refused: {
    statuses: [401],
    means: 'The refresh token is not valid, has expired or was revoked.',
    next: 'Let the person sign in again.',
  },
  code_refused: {
    statuses: [400],
    means: 'The sign-in code or link is wrong, used or expired, or there were too many tries.',
    next: 'Let the person type the code of the newest mail, or request a new one.',
  },

  // The back office.
  role_needed: {
    statuses: [403],
    means: 'The role at this commerce is too low, or was changed while the call was running.',
    next: 'Ask an owner of the commerce for the role in `message`.',
    backOffice: true,
  },
  fresh_code_needed: {
    statuses: [403],
    means: 'The call needs a sign-in code that is at most 15 minutes old. A key never has one.',
    next: 'Let the person ask for a code and type it, then repeat the call.',
    backOffice: true,
  },
  wrong_origin: {
    statuses: [403],
    means: 'A write with a session cookie does not come from a page of the console.',
    next: 'Send the `Origin` of the console, or use a back-office key.',
    backOffice: true,
  },

  too_many_keys: {
    statuses: [409],
    means: 'The commerce has as many keys as it can have.',
    next: 'Revoke the keys that nobody uses.',
    backOffice: true,
  },
  key_ended: {
    statuses: [409],
    means: 'The key was revoked, or another one has replaced it.',
    next: 'Replace the newer key, or create one.',
    backOffice: true,
  },
  not_a_sandbox: {
    statuses: [409],
    means: 'Only the clock of a sandbox can be moved, and only to a year before 9000.',
    next: 'Create a sandbox commerce to try what time does.',
    backOffice: true,
  },
  clock_moving: {
    statuses: [409],
    means: 'The clock is on its way to another time.',
    next: 'Wait until it has arrived, then move it on.',
    backOffice: true,
  },
  already_staff: {
    statuses: [409],
    means: 'The person has a role at this commerce already.',
    next: 'Change that role.',
    backOffice: true,
  },

  last_owner: {
    statuses: [409],
    means: 'The person is the only owner of the commerce.',
    next: 'Make somebody else an owner first.',
    backOffice: true,
  },
  own_role: {
    statuses: [409],
    means: 'An owner tries to lower, remove or sign out themselves.',
    next: 'Ask another owner. To end your own sessions, sign out everywhere.',
    backOffice: true,
  },

  program_changed: {
    statuses: [409],
    means: 'Somebody else published a version of the program since this draft began. Nothing was changed.',
    next: 'Compare their version with the draft, and publish with its number as `base_version`.',
    backOffice: true,
  },
  unusable_picture: {
    statuses: [400],
    means: 'The uploaded file is no PNG, JPEG or WebP, it is damaged, or it has too many pixels.',
    next: 'Save the picture again as one of these, with at most 50 million pixels and 12,000 on each side, and send that file.',
    backOffice: true,
  },
  too_many_pictures: {
    statuses: [409],
    means: 'The shop has 500 pictures, and versions of its program name all of them.',
    next: 'Use a picture that is there already, or the address of one on the web.',
    backOffice: true,
  },

  // The thing that is called.
  not_found: {
    statuses: [404],
    means: 'The object does not exist at this commerce, or nothing is at this path.',
    next: 'Check the id, or the path that `message` suggests.',
  },
  unknown_commerce: {
    statuses: [404],
    means: 'No commerce has the id in `X-Commerce-Id`.',
    next: 'Send the `commerce_id` that `loyalty apply` prints.',
  },
  no_level: {
    statuses: [404],
    means: 'The member has no tier yet, or the commerce has no tiers. This is not a failure.',
    next: 'Show no tier.',
  },
  method: {
    statuses: [405],
    means: 'The path exists and takes another method.',
    next: 'Use a method from `Allow`.',
  },

  // Purchases.
  paused: {
    statuses: [400],
    means: 'The program is paused and records no purchases.',
    next: 'Record the purchase when the program is active again.',
  },
  invalid_amount: {
    statuses: [400],
    means: 'The amount is zero, negative, above the limit of the commerce, or more than is left to reverse.',
    next: 'Send an amount within the limits in `message`.',
  },
  not_eligible: {
    statuses: [403],
    means: 'The member has left the program or was blocked by staff.',
    next: 'Do not retry. The member can join again in the portal.',
  },
  beyond_counting: {
    statuses: [400],
    means: 'A figure of the member would pass 9,007,199,254,740,991.',
    next: 'Check the amount.',
  },
  unconfirmed: {
    statuses: [400],
    means: 'The purchase was not confirmed in time, and has been taken back.',
    next: 'Record it as a new purchase.',
  },
  already_reversed: {
    statuses: [400],
    means: 'Nothing is left of the purchase.',
    next: 'Nothing: it is reversed.',
  },
  points_spent: {
    statuses: [400],
    means: 'The points of the purchase were spent, and the program does not allow a debt.',
    next: 'Do not reverse it, or set `earning.returns` in the program file.',
  },
  duplicate_external_id: {
    statuses: [409],
    means: 'Another purchase of the commerce has this `external_id`.',
    next: 'Look that purchase up, or send the id of this order.',
  },

  // Orders.
  buyer: {
    statuses: [409],
    means: 'The order was paid by another person.',
    next: 'Send the buyer of the first paid state. Another person’s order is another order.',
  },
  currency: {
    statuses: [400],
    means: 'The order is in another currency than the commerce.',
    next: 'Do not send it. The service never converts amounts.',
  },
  invalid_paid_at: {
    statuses: [400],
    means:
      '`paid_at` of an order is more than five minutes in the future, or more than 72 hours before the order was first sent.',
    next: 'Import older orders with `loyalty purchases import`.',
  },
  order_open: {
    statuses: [409],
    means: 'The `external_id` is that of an order that is not paid yet.',
    next: 'Send the order as paid with `PUT /v1/orders/{external_id}`.',
  },
  order_cancelled: {
    statuses: [409],
    means: 'The order was cancelled, which is final.',
    next: 'Make another order, with another `external_id`.',
  },
  order_conflict: {
    statuses: [409],
    means:
      'The state contradicts what is known of the order: another content with the same `version`, less refunded than before, another `paid_at`, or open again after it was paid.',
    next: 'Compare with `order` in the body, which is what stands, and send the state with a higher `version`.',
  },

  // Benefits and their codes.
  benefit_not_valid: {
    statuses: [400],
    means: 'The benefit does not exist or is not for sale now.',
    next: 'Offer what `GET /v1/me/benefits/available` lists.',
  },
  sold_out: {
    statuses: [400],
    means: 'The benefit is sold out.',
    next: 'Offer another one.',
  },
  points_short: {
    statuses: [400],
    means: 'The member has fewer points than this takes.',
    next: 'Show how many are missing: `message` says it.',
  },
  not_a_member: {
    statuses: [400, 404],
    means:
      'The person has not joined the program, or is no longer in it. The shop cannot vouch for them: they have not signed in here.',
    next: 'Let them join with `POST /v1/me/subscription`, or sign in with a code once.',
  },
  already_blocked: {
    statuses: [400],
    means: 'Staff have blocked the person before.',
    next: 'Unblock them first to give another reason.',
    backOffice: true,
  },
  not_blocked: {
    statuses: [400],
    means: 'The person is not blocked.',
    next: 'Nothing has to be done.',
    backOffice: true,
  },
  blocked: {
    statuses: [400],
    means: 'The person is blocked.',
    next: 'Unblock them first.',
    backOffice: true,
  },
  already_joined: {
    statuses: [400],
    means: 'The person has joined before, so there is nothing to invite them to.',
    next: 'Do not invite them.',
    backOffice: true,
  },
  invited_lately: {
    statuses: [400],
    means: 'The mailbox was invited within a day, or was sent many mails today.',
    next: 'Try again tomorrow.',
    backOffice: true,
  },
  invitations_used_up: {
    statuses: [400],
    means: 'The commerce has sent as many invitations as it may in a day.',
    next: 'Try again tomorrow, or raise `INVITATIONS_PER_DAY`.',
    backOffice: true,
  },
  no_mailbox: {
    statuses: [400],
    means: 'A back-office key asked for a mail to itself.',
    next: 'Sign in to the console.',
    backOffice: true,
  },
  tests_used_up: {
    statuses: [400],
    means: 'A person has sent themselves as many mails as they may in an hour.',
    next: 'Look at the preview, or try again later.',
    backOffice: true,
  },
  not_bounced: {
    statuses: [400],
    means: 'No mail to the person has bounced, or the person has reported one as spam.',
    next: 'Do not repeat the call.',
    backOffice: true,
  },
  erased: {
    statuses: [400],
    means: 'The person was erased, which is final.',
    next: 'Do not repeat the call.',
  },
  not_confirmed: {
    statuses: [400],
    means: 'What was typed to confirm an erasure does not name the person.',
    next: 'Send the code of the member, or the address of someone who never joined.',
    backOffice: true,
  },
  reason_names_the_person: {
    statuses: [400],
    means: 'The reason of an erasure contains the name, the address or the telephone number of the person.',
    next: 'Leave them out: the reason stays after the erasure.',
    backOffice: true,
  },
  invalid_points: {
    statuses: [400],
    means: 'An adjustment of 0 points changes nothing.',
    next: 'Send how many points to add, or to take with a minus in front.',
    backOffice: true,
  },
  unknown_level: {
    statuses: [400],
    means: 'The program has no level with this id.',
    next: 'Send the `id` of a level of the program: `GET /v1/public/program` lists them.',
  },
  invalid_expiry: {
    statuses: [400],
    means: 'The day until which the points would be valid cannot be set by hand.',
    next: 'Leave `expires_on` out, and the program gives the day.',
    backOffice: true,
  },
  too_many_codes: {
    statuses: [400],
    means: 'The member has as many unused codes as the program allows.',
    next: 'Let them use one first.',
  },
  benefit_used: {
    statuses: [400],
    means: 'The code was redeemed before.',
    next: 'Do not give the benefit again.',
  },
  voucher_expired: {
    statuses: [400],
    means: 'The code is past its due date.',
    next: 'Do not give the benefit.',
  },
  held: {
    statuses: [409],
    means: 'Another cart holds the code.',
    next: 'Show the cart without the code, or try again after `X-Held-Until` of its look-up.',
  },
  too_many_holds: {
    statuses: [409],
    means: 'Carts hold 20 codes of the member already.',
    next: 'Release the holds of carts that were given up.',
  },
  undone: {
    statuses: [409],
    means: 'The redemption with this `external_id` was undone.',
    next: 'To use the code again, send another `external_id` and another `Idempotency-Key`.',
  },
  undo_too_late: {
    statuses: [400],
    means: 'The program does not undo the use of codes, or not so late.',
    next: 'Do not repeat the call. The code stays used.',
  },
  never_used: {
    statuses: [400],
    means: 'The code was not redeemed with this `external_id`.',
    next: 'Send the `external_id` of the redemption.',
  },
  voucher_given_back: {
    statuses: [400],
    means: 'The code was given back for its points.',
    next: 'Do not give the benefit.',
  },
  voucher_void: {
    statuses: [400],
    means: 'The purchase that had earned the code was reversed.',
    next: 'Do not give the benefit.',
  },
  voucher_was_a_gift: {
    statuses: [400],
    means: 'The code was not bought with points, so none can be given back.',
    next: 'Leave it as it is.',
    backOffice: true,
  },

  set_up_link_refused: {
    statuses: [404],
    means: 'The set-up link is wrong, too old or used up, or there is a shop already.',
    next: 'Make a new link with `loyalty setup-link`.',
    backOffice: true,
  },
  set_up_link_taken: {
    statuses: [409],
    means: 'Somebody has opened the set-up link with another e-mail address.',
    next: 'Go on with that address, or make a new link with `loyalty setup-link`.',
    backOffice: true,
  },

  // Later.
  in_progress: {
    statuses: [409],
    means: 'The first call with this `Idempotency-Key` is still running.',
    next: 'Repeat the call in a moment, with the same key.',
  },
  rate_limited: {
    statuses: [429],
    means: 'Too many calls.',
    next: 'Wait for `Retry-After` seconds.',
  },
  overloaded: {
    statuses: [503],
    means: 'Too many calls are waiting. Nothing was recorded.',
    next: 'Repeat the call after `Retry-After` seconds.',
  },
  unavailable: {
    statuses: [503],
    means: 'The service or its database is not available. Nothing was recorded.',
    next: 'Repeat the call after `Retry-After` seconds.',
  },
  unknown_outcome: {
    statuses: [503],
    means: 'Nobody knows whether the call was recorded.',
    next: 'Look it up, or repeat it with the same `Idempotency-Key`.',
  },
  internal: {
    statuses: [500],
    means: 'A defect of the service.',
    next: 'Report it with the `X-Request-Id` of the response.',
  },
} as const satisfies Record<string, Explained>;

export type ErrorCode = keyof typeof ERROR_CODES;
