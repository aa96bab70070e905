/** What the package exports to buyers and sellers of data, as `trustnode/exchange`. */
export {
  authorize,
  bindingText,
  heartbeatText,
  marketCallText,
  questionText,
  signText,
} from './authorization.js';
export {
  Buyer,
  type BuyerOptions,
  type BuyOptions,
  type Delivery,
  type Described,
  type Product,
  type Purchase,
  type Source,
} from './buyer.js';
export { writeJson } from './json.js';
export type { Order, Orders } from './orders.js';
export { md5OfText, openSealed, sealPacket } from './packets.js';
export { doWork, type Work, type WorkSubject } from './registration.js';
export { heartbeat, openQuestion, type Question, readQuestion, sealAnswer } from './seller.js';
export { keySigner, type Signer } from './signer.js';
