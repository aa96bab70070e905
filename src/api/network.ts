import { array } from '../codec/containers.js';
import { bool, text, u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import { signedBlock } from '../protocol/block.js';
import { transactionId } from '../protocol/keys.js';
import { processedTransaction, signedTransaction } from '../protocol/transaction.js';
import { declareApi, declareMethod } from './define.js';
import { callback, json, nothing, nullable } from './types.js';

export const confirmation = struct('broadcast_confirmation', {
  id: transactionId,
  block_num: u32,
  trx_num: u32,
  trx: processedTransaction,
});

export const networkBroadcastApi = declareApi({
  name: 'network_broadcast',
  about: 'Sends transactions and blocks into the network.',
  methods: {
    broadcast_transaction: declareMethod({
      about: 'Checks a transaction, applies it to the pending state and sends it on. Answers with its id.',
      params: { trx: signedTransaction },
      result: text,
      waits: true,
    }),
    broadcast_transaction_with_callback: declareMethod({
      about:
        'As broadcast_transaction; a notice follows when a block has taken the transaction, and another one if a fork switch puts it into another block. A second call for the same transaction takes the place of the first.',
      params: { cb: callback, trx: signedTransaction },
      result: nothing,
      waits: true,
    }),
    broadcast_transaction_synchronous: declareMethod({
      about:
        'As broadcast_transaction, but answers when a block has taken the transaction, or with an error when it has expired.',
      params: { trx: signedTransaction },
      result: confirmation,
      waits: true,
      answersLate: true,
    }),
    broadcast_block: declareMethod({
      about: 'Applies a block and sends it on.',
      params: { block: signedBlock },
      // What fits into a block is the chain's affair.
      listMax: Number.POSITIVE_INFINITY,
      result: nothing,
      waits: true,
    }),
  },
});

const info = struct('network_info', {
  listening_on: text,
  node_public_key: text,
  node_id: text,
  firewalled: text,
  connection_count: u32,
});

const ban = struct('banned_address', { address: text, reason: text, until: text });

/** As far as everybody may know it: whom it is connected with is for its operator. */
const networkStatus = struct('network_status', {
  connection_count: u32,
  /** That peers have listed and this node lacks. */
  blocks_behind: u32,
  blocks_per_second: u32,
  transactions_per_second: u32,
  /** At this pace; left out without one. */
  seconds_left: nullable(u32),
  banned_count: u32,
  /** The newest of them. */
  bans: array(ban),
});

export const networkStatusMethods = {
  get_network_status: declareMethod({
    about:
      'How far this node is behind its peers, how fast it catches up, and how many peers it has and which addresses it takes nothing from; null without a network.',
    params: {},
    result: nullable(networkStatus),
  }),
};

export const networkNodeApi = declareApi({
  name: 'network_node',
  isClosedToPages: true,
  about: 'The peer-to-peer side of the node, for its operator.',
  methods: {
    get_info: declareMethod({
      about: 'Where the node listens and how many peers it has.',
      params: {},
      result: info,
    }),
    add_node: declareMethod({
      about: 'Connects to a peer and remembers it.',
      params: { endpoint: text },
      result: nothing,
    }),
    get_connected_peers: declareMethod({
      about: 'Peers that are connected, with what is known of each.',
      params: {},
      result: array(json),
    }),
    get_potential_peers: declareMethod({
      about: 'Peers that the node knows of.',
      params: {},
      result: array(json),
    }),
    get_banned_addresses: declareMethod({
      about: 'Addresses from which nothing is taken for a while, each with the code of the last reason and until when.',
      params: {},
      result: array(ban),
    }),
    get_advanced_node_parameters: declareMethod({
      about: 'How many connections the node wants and takes.',
      params: {},
      result: json,
    }),
    set_advanced_node_parameters: declareMethod({
      about: 'Changes some of the parameters; unknown names are passed over.',
      params: { params: json },
      result: nothing,
    }),
  },
});

export const debugApi = declareApi({
  name: 'debug',
  isClosedToPages: true,
  about:
    'For tests on a chain of one’s own: makes blocks at once, changes objects. Off unless the node was started with it.',
  methods: {
    debug_push_blocks: declareMethod({
      about: 'Pushes the next blocks from another block log.',
      params: { src_filename: text, count: u32 },
      result: nothing,
      waits: true,
    }),
    debug_generate_blocks: declareMethod({
      about:
        'Makes blocks for the next slots, signed with this key where it is the witness’s own. An empty key stands for those of the option debug-private-key. The blocks have the times of their slots, so that the chain gets ahead of the clock: until that has caught up, no block is made by itself, and the log says so; on a development chain dev_mine takes the clock along.',
      params: { debug_key: text, count: u32 },
      result: nothing,
      waits: true,
    }),
    debug_update_object: declareMethod({
      about:
        'Changes an object of the head block’s state: {id, _action, …} with write, update or delete. Without an action an id alone means delete, anything else write.',
      params: { update: json },
      result: nothing,
      waits: true,
    }),
    debug_stream_json_objects: declareMethod({
      about:
        'From now on writes every changed object as a line of JSON into a file of the folder debug in the data directory, and the number of every block in front of its changes. An empty name ends it.',
      params: { filename: text },
      result: nothing,
      waits: true,
    }),
    debug_stream_json_objects_flush: declareMethod({
      about: 'Writes what the stream keeps back.',
      params: {},
      result: nothing,
      waits: true,
    }),
  },
});

const accessor = (name: string) =>
  declareMethod({ about: `Id of the ${name} API for this connection.`, params: {}, result: u32 });

export const loginApi = declareApi({
  name: 'login',
  about: 'Opens the other APIs. Their ids hold for this connection only.',
  methods: {
    login: declareMethod({
      about: 'Opens the APIs that the access file allows this user. False when user or password are wrong.',
      params: { user: text, password: text },
      result: bool,
    }),
    block: accessor('block'),
    network_broadcast: accessor('network_broadcast'),
    database: accessor('database'),
    history: accessor('history'),
    network_node: accessor('network_node'),
    crypto: accessor('crypto'),
    asset: accessor('asset'),
    debug: accessor('debug'),
    dev: accessor('dev'),
  },
});
