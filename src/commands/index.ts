import type { CommandEntry } from './command.js';

/** In the order of `trustnode --help`. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    command: 'start',
    describe: 'Run a node',
    appliesBlocks: true,
    spellOut: async (words) => (await import('./start-options.js')).spellOutStart(words),
    reportUsage: async (words, message) => (await import('./usage-line.js')).logUsage(words, message),
    load: async () => (await import('./start.js')).loadStartCommand(),
  },
  {
    command: 'status',
    describe: 'Say how the node on this machine is doing',
    load: async () => (await import('./status/index.js')).statusCommand,
  },
  {
    command: 'check-config',
    describe: 'Say everything that a start would refuse or warn of, and change nothing',
    spellOut: async (words) => (await import('./start-options.js')).spellOutStart(words),
    load: async () => (await import('./check-config.js')).loadCheckConfigCommand(),
  },
  {
    command: 'state-hash',
    describe: 'Print the hash of the whole state: equal on every node at the same block',
    appliesBlocks: true,
    load: async () => (await import('./chain/state-hash.js')).stateHashCommand,
  },
  {
    command: 'export-state <file>',
    describe: 'Write all objects as JSON lines, exactly as the RPC shows them, sorted by id',
    appliesBlocks: true,
    load: async () => (await import('./chain/export-state.js')).exportStateCommand,
  },
  {
    command: 'import-blocks <file>',
    describe: 'Apply blocks from a file: JSON lines as of get_block, plain or gzipped, or a block log',
    appliesBlocks: true,
    load: async () => (await import('./chain/import-blocks.js')).importBlocksCommand,
  },
  {
    command: 'export-blocks <file>',
    describe: 'Write blocks as JSON lines, as get_block gives them',
    // Opening a folder that was not closed in order applies its last blocks again.
    appliesBlocks: true,
    load: async () => (await import('./chain/export-blocks.js')).exportBlocksCommand,
  },
  {
    command: 'verify-blocks',
    describe: 'Read the whole block log, say which blocks are damaged and what can be kept; a node may run beside it',
    load: async () => (await import('./chain/verify-blocks.js')).verifyBlocksCommand,
  },
  {
    command: 'snapshot <action>',
    describe: 'List, verify, pack and restore snapshots of the state',
    load: async () => (await import('./snapshot/index.js')).snapshotCommands,
  },
  {
    command: 'genesis <action>',
    describe: 'Make and check genesis files',
    load: async () => (await import('./genesis/index.js')).genesisCommands,
  },
  {
    command: 'keys <action>',
    describe: 'Make, show and use keys; sign, verify and decode transactions and blocks',
    load: async () => (await import('./keys/index.js')).keysCommands,
  },
  {
    command: 'contract <action>',
    describe: 'Look into contracts: code, ABI, arguments, and what a call costs',
    load: async () => (await import('./contract/index.js')).contractCommands,
  },
  {
    command: 'search <action>',
    describe: 'Compare the search database with the chain, and mend it',
    load: async () => (await import('./search/index.js')).searchCommands,
  },
  {
    command: 'wallet [action]',
    describe: 'Keep keys, sign and send: at a prompt, from scripts, or as a daemon for other programs',
    spellOut: async (words) => (await import('./wallet/spell-out.js')).spellOut(words),
    load: async () => (await import('./wallet/index.js')).walletCommand,
  },
  {
    command: 'market [action] [file]',
    describe: 'Run the data market: products, members, votes, bills; or back up and restore what it keeps',
    load: async () => (await import('./market/index.js')).marketCommand,
  },
  {
    command: 'storage [action] [folder]',
    describe: 'Run paid storage: files by content id, paid on the chain',
    load: async () => (await import('./storage/index.js')).storageCommand,
  },
  {
    command: 'des',
    describe: 'Run an exchange of data: buyers ask, sources answer, each delivery is paid on the chain',
    load: async () => (await import('./des/index.js')).desCommand,
  },
  {
    command: 'datasource',
    describe: 'Run a source of data: answers the questions of an exchange from your own program',
    load: async () => (await import('./datasource/index.js')).datasourceCommand,
  },
  {
    command: 'gateway [action] [what]',
    describe: 'Run a gateway that registers accounts for newcomers and pays for them; or make invite codes',
    load: async () => (await import('./gateway/index.js')).gatewayCommand,
  },
  {
    command: 'buy <product> [params..]',
    describe: 'Buy data at an exchange: ask, pay, wait, and print what the sources answer',
    load: async () => (await import('./buy/index.js')).buyCommand,
  },
];
