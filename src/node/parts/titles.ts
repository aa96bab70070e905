/** Of the parts that listen: their ports are tried before it is their turn, and a refusal names them then too. */
export const CLIENTS_TITLE = 'RPC';
export const PEERS_TITLE = 'peer-to-peer network';
