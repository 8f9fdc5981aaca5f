import { aliasesOfAMailbox } from './aliases-of-a-mailbox.ts';
import { anonymousNoise } from './anonymous-noise.ts';
import { busyShop } from './busy-shop.ts';
import { blockedPictures } from './blocked-pictures.ts';
import { forgedForwardedFor } from './forged-forwarded-for.ts';
import { growingLists } from './growing-lists.ts';
import type { Attack } from './harness/attack.ts';
import { idleSockets } from './idle-sockets.ts';
import { largeDrafts } from './large-drafts.ts';
import { lockedOutOwner } from './locked-out-owner.ts';
import { longDomains } from './long-domains.ts';
import { manyNetworks } from './many-networks.ts';
import { manyWhatIfs } from './many-what-ifs.ts';
import { neverReading } from './never-reading.ts';
import { openByMistake } from './open-by-mistake.ts';
import { ownRefreshToken } from './own-refresh-token.ts';
import { returnsOfOnePurchase } from './returns-of-one-purchase.ts';
import { signInFlood } from './sign-in-flood.ts';
import { slowPictures } from './slow-pictures.ts';
import { tellingIds } from './telling-ids.ts';
import { tokensAcrossShops } from './tokens-across-shops.ts';
import { weakSettings } from './weak-settings.ts';

/** Every attack, in the order of the table. */
export const attacks: readonly Attack[] = [
  longDomains,
  ownRefreshToken,
  returnsOfOnePurchase,
  neverReading,
  idleSockets,
  growingLists,
  largeDrafts,
  slowPictures,
  manyWhatIfs,
  ...busyShop,
  signInFlood,
  anonymousNoise,
  openByMistake,
  lockedOutOwner,
  aliasesOfAMailbox,
  manyNetworks,
  forgedForwardedFor,
  weakSettings,
  tellingIds,
  blockedPictures,
  tokensAcrossShops,
];
