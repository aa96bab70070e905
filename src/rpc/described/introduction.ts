/** The part of docs/rpc.md that a person wrote. */
export const RPC_INTRODUCTION = `# The RPC interface

Made from the declarations in \`src/api\` by \`npm run docs\`; a test compares. The same declarations answer
\`rpc.discover\` with an OpenRPC document and type the client that the package exports (\`trustnode/client\`).

## Endpoints

\`rpc-endpoint\` takes HTTP and WebSocket on one port, any path; \`rpc-tls-endpoint\` the same with TLS. HTTP: POST a JSON
document; the connection may be kept. WebSocket: one JSON document per text message; notices come unasked. A browser
that opens the port gets the [block explorer](explorer.md), with a console for these methods.

\`\`\`
curl -s http://127.0.0.1:8090/ -d '{"id":1,"method":"get_account_by_name","params":["alice"]}'
\`\`\`

## Requests

| Form | Meaning |
|---|---|
| \`{"id":1,"method":"get_block","params":[5]}\` | a method of the database API |
| \`{"id":1,"method":"call","params":["asset","get_asset_holders",["1.3.1"]]}\` | a method of another API by name |
| \`{"id":1,"method":"asset.get_asset_holders","params":["1.3.1"]}\` | the same, shorter |
| \`{"id":"x1","method":"get_block","params":{"block_num":5}}\` | arguments by name |
| \`{"id":1,"method":"call","params":[2,"broadcast_transaction",[…]]}\` | by the id that the connection has for the API: 0 database, 1 login, 2 network_broadcast, 3 history; others from the login API |
| \`[{…},{…}]\` | a batch; the answers come as an array in the same order; others, and a block, may come between its requests |

All arguments are required, unless a method says what it takes for one that is left out. In a list they stand in the order shown, and surplus ones are ignored; by name, a name that
the method does not know is refused. The id comes back as it came, be it a number or a text. Without \`id\`, or with null, the request runs and
gets no answer. \`jsonrpc\` is not looked at.

## Answers

\`{"id":1,"jsonrpc":"2.0","result":…}\`. Integers of 64 bits come as numbers up to 32 bits and as decimal text beyond;
either form is accepted. Times are UTC without a zone, \`2020-12-16T16:00:27\`. Object ids are text, \`"1.2.17"\`. Lists of
pairs stand for maps. Unions are \`[tag, value]\`.

A refusal:

\`\`\`json
{"id":1,"jsonrpc":"2.0","error":{"code":1,"message":"missing required active authority: Missing Active Authority 1.2.17",
 "data":{"code":3030001,"name":"tx_missing_active_auth","message":"missing required active authority","stack":[…],
 "key":"active_auth_missing","kind":"invalid"}}}
\`\`\`

\`error.message\` is for people, \`error.data.code\` and \`name\` are those of the chain family, \`error.data.key\` names the
very check and stays the same between versions; [errors.md](errors.md) lists all of them. \`error.data.kind\` says who or
what it is to be put down to: \`invalid\` the request, \`limit\` this node, which does not do it or not now, \`environment\`
the machine below it, \`bug\` an error of the program. \`error.data.hint\` is a sentence for people where the message is
only an expression. What cannot be read as a request is answered with the id \`null\`, as is one above 2 KiB that is refused unread.
HTTP answers have status 200, refusals included; 413 for a body that is too large, 429 for too many requests, 503 when
the node has no room at the moment, be it for a large body or for another WebSocket connection. A WebSocket message that
is too large ends the connection.

## Notices

Methods with a \`callback\` argument take a number of the client's choice. Each event is a document without id:
\`{"method":"notice","params":[<callback>,[<argument>]]}\`. They come over the WebSocket that asked for them; plain HTTP
answers null, and nothing comes of it.

For each block a connection is told, in this order: which transactions wait once more, the block's id, its own
transactions in the block, then new, changed and removed objects. What a fork switch has changed back comes last.

An object is told of when the connection has asked for it with \`get_objects\` after \`set_subscribe_callback\`. Whoever
has subscribed to an account with \`get_full_accounts\` gets all objects of a kind that a block has created, changed or
removed, if one of them concerns the account. Subscriptions belong to the api id through which they were made; a
connection subscribes through ten of its ids at most.

## Sending transactions

\`broadcast_transaction\` answers with the transaction id as soon as the node has accepted it;
\`broadcast_transaction_synchronous\` when a block has taken it, or with \`confirmation_expired\` when none ever will; where
that is not known a minute after the transaction has expired, with \`confirmation_unknown\`. To know that it is final, ask
\`get_transaction_confirmation\` until \`irreversible\` is true.

## Limits

| Option | What is limited |
|---|---|
| \`rpc-request-bytes-max\`, \`rpc-message-bytes-max\` | one HTTP body, one WebSocket message |
| \`rpc-memory-max\` | requests that are not whole yet or wait for their turn, answers in the making and those that nobody reads, HTTP and WebSocket, and idle HTTP connections, over all clients; beyond it those go that have held something for the longest time, and what waits for its turn stays |
| \`rpc-reply-bytes-max\` | one answer, be it to a request or a batch; of a batch beyond it, every question is refused by its id, and what changed something is answered |
| \`rpc-request-values-max\` | values in one request, counted above 64 KiB |
| \`rpc-queue-bytes-max\` | requests of all clients that wait for their turn |
| \`rpc-batch-max\` | requests in a batch |
| \`rpc-connections-max\`, \`rpc-connections-per-address-max\` | WebSocket connections |
| \`rpc-requests-per-second\`, \`rpc-requests-burst\` | requests of one address, those in a batch too; off by default, never for clients on this machine that come through no proxy |
| \`rpc-backlog-bytes-max\` | what may wait for a client that does not read; then it is dropped |
| \`rpc-idle-timeout\` | silence on a connection |

JSON may be nested 200 deep. Lists in arguments have at most 10,000 elements, keys for a question about an authority
at most 1000; \`get_full_accounts\` takes 100 accounts, \`get_blocks\` 1000 blocks, \`get_required_fees\` 100 contract calls;
rows of contract tables come for 10 ms at most, then \`more\` is true; one of them may hold 20,000 values. A transaction from a client holds at most 1000
operations, those in proposals counted, 10 contract calls and 1000 signatures. A request above 64 KiB holds at most as
many values as \`rpc-request-values-max\` says, 10,000 members in one object and 4.3 MB in one text. An error repeats only
the beginning of what it refuses.

## Turns

Requests are read, run and answered in pieces of a few milliseconds. In one turn of its event loop the node works on them
for 10 ms at most, then it does its other work. What has to wait stands in the lane of its connection, in the order of
asking; lanes take turns, first by address, then by connection, so a client that asks for much waits for itself. Of requests
above 256 KiB one is read at a time. An answer that comes in pieces shows each object as it was when its turn came.

Answers leave a WebSocket in the order of its requests, also where one waits for the threads that check signatures. Alone
those of \`broadcast_transaction_synchronous\`, \`create_snapshot\` and \`copy_state\` come when they are ready, and others do not
wait for them. A question behind a transaction may be answered with the state before it: who wants to see what it did waits
for its answer.

## Access

Without \`api-access\` everybody may use database, network_broadcast, history and crypto. The file maps user
names to password hashes and API names; \`*\` stands for everybody else. A client logs in with \`login\` of the login API or
with HTTP Basic credentials. The ids 0 to 3 work without a login.

A node listens for its operator on the socket \`operator.sock\` in its data directory, which only its own user can open:
every API is open there, and \`/healthz\`, \`/readyz\` and \`/metrics\` are answered.

\`\`\`
curl -s --unix-socket DATA_DIR/operator.sock http://localhost/ -d '{"id":1,"method":"call","params":["network_node","get_info",[]]}'
\`\`\`

\`create_snapshot\` and \`copy_state\` copy the whole state: they are answered over that socket, to programs on the node's
own machine that come through no proxy, and to users whose \`allowed_apis\` name them.

## Web pages and proxies

A page in a browser is not the user who has opened it. Pages of any origin may read and send signed transactions; the
debug and network_node APIs, \`create_snapshot\` and \`copy_state\` are refused to them unless \`rpc-origin\` names their
origin, and even then they may do no more than their user. On a development chain its methods are open to the explorer too, where a
browser on the same machine has it from the node's own address. A page can also give its own name the address of the node: where the node
listens on addresses of its machine or of a private network, and for clients on its own machine wherever it listens,
requests that name another host than an address, localhost or one of \`rpc-host-name\` are refused with status 403, and
so are all others once \`rpc-host-name\` is set. A proxy that passes the client's Host header on needs that option.

Behind a proxy every client has the proxy's address. \`rpc-trusted-proxy\` names proxies whose \`X-Forwarded-For\` or
\`Forwarded\` (one of them, not both) is believed; limits by address then hold for the client. What comes from the
machine itself with such a header, or with \`Via\` or \`X-Real-IP\`, is not taken for the operator. A proxy on the same
machine that sends none of them cannot be told from a program there: let yours send one.

## The typed client

The package exports what programs need that talk to a node, and nothing of the node itself.
[client.md](client.md) is the page of the client that signs, in plain data; below it lies what this section names.

| Import | What it has |
|---|---|
| \`trustnode/client\` | \`openClient(url, options)\`: see [client.md](client.md). \`connect(url, options)\`: an object for each API with the methods of this page. Arguments are given by name; results have the types of the chain: ids are instances, amounts bigints, keys and hashes hex, missing members undefined. The answers are decoded by the same declarations by which the node prints them |
| \`trustnode/transactions\` | \`operationOf\`, \`buildTransaction\` (fees, expiration and reference block from the node), \`signTransaction\`, \`packTransaction\`, \`idOfTransaction\` |
| \`trustnode/operations/*\` | what each operation is on the wire and what it costs: \`transfers\`, \`accounts\`, \`assets\`, \`governance\`, \`data-market\`, \`contracts\` |
| \`trustnode/keys\` | \`PrivateKey\` |

One process may talk to chains with different key prefixes: in memory a key has none. The client asks its node for the
prefix when the first key is to be written or read; \`connect(url, { keyPrefix: 'GXC' })\` spares the question. A refusal
is an \`RpcError\` with \`code\`, \`kind\`, \`key\` and the whole error object; \`RpcConnectionError\` means that nobody
knows whether the call had its effect. Notices need a WebSocket: \`connection.subscribe(listener)\` gives the number to
pass as \`cb\`.

## Servers

\`rpc-transport\` chooses between two, which answer alike:

| | \`node-http\` | \`uws\` |
|---|---|---|
| What it is | HTTP of Node, and the package ws | uWebSockets.js, C++ code of a third party, in a build for Node 20 of the package \`@rjweb/uws\` |
| Unfinished WebSocket messages | counted as they come | cannot be counted: half of \`rpc-memory-max\` is kept for them, a message has 64 KiB or the share of \`rpc-connections-max\`, whichever is more, and as many connections are taken as fit: 1953 with 64 KiB each unless options say otherwise; HTTP has the limits of the options |
| Idle HTTP connections | counted in \`rpc-memory-max\` (8 KiB each, 48 KiB with TLS), closed after 65 seconds | not counted (about 1 kB each, 4 kB with TLS), closed after about ten seconds |
| A body that comes slowly | has 60 seconds, or as long as it comes at 16 KiB a second | as long as it comes at 16 KiB a second |
| A request of HTTP/1.1 without any header | refused at once | closed after about ten seconds |

The native server runs in the process of the node, which may hold the keys of a witness: who does not want its code there
leaves it out. \`auto\` takes it where it loads and no \`private-key\` is set but the public test key, so a witness runs
without it unless \`rpc-transport = uws\` says otherwise; with \`node-http\` it is not even loaded. The package is optional
and brings builds for every system, 94 MB; \`npm ci\` in a clone keeps the one for its machine, and
\`node prepare.mjs --without-native-server\` removes the package.`;
