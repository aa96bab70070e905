import { crashPoint } from '../../base/crash-point.js';
import type { BlockSigner } from '../../chain/produce.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import type { SlotRecord } from '../../witness/slot-record.js';

/** Signs the block of one slot, once it is on the disk that this slot is signed. */
export function slotSigner(slots: SlotRecord, slotSec: number, key: PrivateKey): BlockSigner {
  return {
    publicKey: key.publicKey,
    sign: (digest) => {
      slots.claim(slotSec);
      crashPoint('slot_claimed');
      return signatureBackend().sign(digest, key);
    },
  };
}
