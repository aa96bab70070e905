import type { Json } from '../../../src/codec/json.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { nameFromText } from '../../../src/protocol/name.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import type { AccountObject } from '../../../src/state/objects/account.js';
import { AbiCodec } from '../../../src/vm/abi/abi-codec.js';
import type { Contract } from '../../support/example-contracts.js';
import { NETWORK } from '../../support/network.js';
import { vectorContract } from '../../support/vector-contracts.js';
import type { Kind, Scene } from './scene.js';

const NAMES = ['bank', 'lab', 'hello'] as const;
const loaded = new Map<string, Contract>();

function contract(name: string): Contract {
  let found = loaded.get(name);
  if (found === undefined) {
    found = vectorContract(name);
    loaded.set(name, found);
  }
  return found;
}

type Account = Readonly<AccountObject>;
const isNamed = (account: Account, name: string): boolean => account.name.startsWith(`${name}-c`);
const find = (scene: Scene, name: string): Account | undefined => scene.accountWhere((one) => isNamed(one, name));

const codecs = new WeakMap<object, AbiCodec>();
function codecOf(account: Account): AbiCodec {
  let codec = codecs.get(account.abi);
  if (codec === undefined) {
    codec = new AbiCodec(account.abi, NETWORK);
    codecs.set(account.abi, codec);
  }
  return codec;
}

const deploy: Kind = {
  name: 'contract_deploy',
  weight: 2,
  make(scene) {
    const name = scene.random.pick(NAMES);
    const account = scene.user();
    const made = `${name}-c${scene.unique()}`;
    const given = { name: made, account, vm_type: '0', vm_version: '0', ...contract(name) };
    if (find(scene, name) !== undefined && scene.random.chance(0.5)) return undefined;
    return scene.op(this.name, given);
  },
};

const update: Kind = {
  name: 'contract_update',
  weight: 1,
  make(scene) {
    const found = scene.accountWhere((one) => one.code.length > 0);
    if (found === undefined) return undefined;
    const name = scene.random.pick(NAMES);
    const new_owner = scene.random.chance(0.3) ? scene.user() : undefined;
    const code = scene.random.chance(0.1) ? Uint8Array.of(0, 97, 115, 109, 1) : contract(name).code;
    return scene.op(this.name, { owner: found.registrar, new_owner, contract: found.id, ...contract(name), code });
  },
};

function call(scene: Scene, to: Account, method: string, args: Json, money = 0n): Operation | undefined {
  // An update may have given it another interface.
  if (!to.abi.actions.some((action) => action.name === nameFromText(method))) return undefined;
  const asset = scene.random.chance(0.9) ? scene.state.coreAsset : scene.asset().id;
  return scene.op('contract_call', {
    account: scene.payer(),
    contract_id: to.id,
    method_name: nameFromText(method),
    data: codecOf(to).packAction(method, args),
    amount: money === 0n ? undefined : scene.core(money),
    fee: makeAsset(1_000_000n, asset),
  });
}

const id = (scene: Scene): number => scene.random.below(6);

const callLab: Kind = {
  name: 'contract_call',
  weight: 8,
  make(scene) {
    const lab = find(scene, 'lab');
    if (lab === undefined) return undefined;
    const { random } = scene;
    const row = { id: id(scene), key: id(scene), val: id(scene) };
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2:
        return call(scene, lab, 'put', row, scene.amount());
      case 3:
        return call(scene, lab, 'upd', row);
      case 4:
        return call(scene, lab, 'del', { id: row.id });
      case 5:
        return call(scene, lab, 'pay', {
          to: scene.account().id,
          asset: Number(scene.state.coreAsset),
          amount: random.between(1, 1000),
        });
      case 6:
        return call(scene, lab, random.pick(['exitc', 'failm', 'failc', 'trapc', 'abortc']), {});
      case 7:
        return call(scene, lab, 'math', { id: row.id, x: 1.5, y: 0 });
      default:
        return undefined;
    }
  },
};

/** A contract that calls contracts, perhaps itself. */
const relay: Kind = {
  name: 'inter_contract_call',
  weight: 4,
  make(scene) {
    const [lab, target] = [find(scene, 'lab'), find(scene, 'lab')];
    if (lab === undefined || target === undefined) return undefined;
    const { random } = scene;
    const data = codecOf(target);
    const isLab = target.abi.actions.some((action) => action.name === nameFromText('put'));
    if (!isLab) return undefined;
    return call(
      scene,
      lab,
      'relay',
      {
        n: random.between(1, 4),
        sender: lab.id,
        contract: random.chance(0.95) ? target.id : scene.account().id,
        amount: random.chance(0.5) ? 0 : random.between(1, 100),
        asset: 1,
        method: 'put',
        data: Buffer.from(data.packAction('put', { id: id(scene), key: 1, val: 2 })).toString('hex'),
      },
      scene.amount(),
    );
  },
};

const callBank: Kind = {
  name: 'contract_call',
  weight: 4,
  make(scene) {
    const bank = find(scene, 'bank');
    if (bank === undefined) return undefined;
    if (scene.random.chance(0.6)) return call(scene, bank, 'deposit', {}, scene.amount());
    const to_account = scene.account().name;
    return call(scene, bank, 'withdraw', {
      to_account,
      amount: { amount: scene.random.between(1, 1000), asset_id: 1 },
    });
  },
};

/** What nobody but running code can send. */
const outside: Kind = {
  name: 'inter_contract_call',
  weight: 0.3,
  make: (scene) =>
    scene.op('inter_contract_call', {
      sender_contract: scene.account().id,
      contract_id: scene.account().id,
      method_name: 1n,
    }),
};

export const CONTRACT_KINDS: readonly Kind[] = [deploy, update, callLab, relay, callBank, outside];
