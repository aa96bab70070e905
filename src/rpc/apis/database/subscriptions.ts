import { array } from '../../../codec/containers.js';
import { bool } from '../../../codec/scalars.js';
import { objectId } from '../../../protocol/ids.js';
import { method } from '../../define.js';
import { callback, nothing } from '../../types.js';

/** Notices come on the connection that asked for them. Over plain HTTP, where none stays, there is nothing to hear. */
export const subscriptionMethods = {
  set_subscribe_callback: method({
    about:
      'Sends changes of objects that this connection asks for from now on. With notify_remove_create also every object that is created or removed.',
    params: { cb: callback, notify_remove_create: bool },
    result: nothing,
    run: ({ services, handle }, { cb, notify_remove_create }) => {
      services.subscriptions.watchObjects(handle, cb, notify_remove_create);
      return undefined;
    },
  }),
  set_data_transaction_subscribe_callback: method({
    about: 'Sends every data transaction that a pending transaction touches.',
    params: { cb: callback, notify_remove_create: bool },
    result: nothing,
    run: ({ services, handle }, { cb }) => {
      services.subscriptions.watchDataTransactions(handle, cb);
      return undefined;
    },
  }),
  set_data_transaction_products_subscribe_callback: method({
    about: 'As set_data_transaction_subscribe_callback, for some products only.',
    params: { cb: callback, ids: array(objectId) },
    result: nothing,
    run: ({ services, handle }, { cb, ids }) => {
      services.subscriptions.watchProducts(handle, cb, ids);
      return undefined;
    },
  }),
  set_pending_transaction_callback: method({
    about: 'Sends every transaction that the node accepts.',
    params: { cb: callback },
    result: nothing,
    run: ({ services, handle }, { cb }) => {
      services.subscriptions.watchPending(handle, cb);
      return undefined;
    },
  }),
  set_block_applied_callback: method({
    about: 'Sends the id of every block that the node applies.',
    params: { cb: callback },
    result: nothing,
    run: ({ services, handle }, { cb }) => {
      services.subscriptions.watchBlocks(handle, cb);
      return undefined;
    },
  }),
  cancel_all_subscriptions: method({
    about: 'Ends the subscriptions to objects and data transactions; those to blocks and pending transactions stay.',
    params: {},
    result: nothing,
    run: ({ services, handle }) => {
      services.subscriptions.cancel(handle);
      return undefined;
    },
  }),
  unsubscribe_data_transaction_callback: method({
    about: 'Ends the subscription to data transactions.',
    params: {},
    result: nothing,
    run: ({ services, handle }) => {
      services.subscriptions.endDataTransactions(handle);
      return undefined;
    },
  }),
};
