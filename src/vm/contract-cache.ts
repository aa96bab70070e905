import { ChainError, type ErrorData, type ErrorRow, fail } from '../base/errors.js';
import { VM_LIMITS } from './limits.js';
import { type LoadedContract, type LoadOptions, loadContract } from './load-contract.js';
import type { ContractExports } from './web-assembly.js';

/** Why a contract does not run at all: the same for every call of it, and as dear to find out as to load it. */
class RefusedContract {
  readonly codeBytes: number;
  private readonly row: ErrorRow;
  private readonly data: ErrorData;

  constructor(codeBytes: number, { row, data }: ChainError) {
    this.codeBytes = codeBytes;
    this.row = row;
    this.data = data;
  }

  /** Anew for each call, because an error gathers where it has come through. */
  throw(): never {
    fail(this.row, this.data);
  }
}

/** Least recently used contracts leave first, and instances that wait before the compiled code they are of. */
export class ContractCache {
  private readonly options: LoadOptions;
  private readonly bytesMax: number;
  private readonly entries = new Map<string, LoadedContract | RefusedContract>();
  private readonly idle = new Set<LoadedContract>();
  private bytes = 0;

  constructor(options: LoadOptions = {}, bytesMax: number = VM_LIMITS.module_cache_bytes_max) {
    this.options = options;
    this.bytesMax = bytesMax;
  }

  get(codeVersion: string, code: Uint8Array, isShrinking = false): LoadedContract {
    const key = isShrinking ? `${codeVersion} shrinking` : codeVersion;
    let contract = this.entries.get(key);
    if (contract === undefined) {
      contract = this.load(code, isShrinking);
      this.bytes += bytesOf(contract);
    } else this.entries.delete(key);
    this.entries.set(key, contract);
    this.evict();
    return contract instanceof RefusedContract ? contract.throw() : contract;
  }

  /** Takes back an instance after an action that succeeded. */
  release(contract: LoadedContract, exports: ContractExports): void {
    this.idle.delete(contract);
    if (!contract.release(exports)) return;
    this.idle.add(contract);
    if (this.idle.size <= VM_LIMITS.idle_instances_max) return;
    for (const oldest of this.idle) {
      this.forget(oldest);
      return;
    }
  }

  private forget(contract: LoadedContract): void {
    contract.forgetInstance();
    this.idle.delete(contract);
  }

  private load(code: Uint8Array, isShrinking: boolean): LoadedContract | RefusedContract {
    try {
      return loadContract(code, { ...this.options, isShrinking });
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return new RefusedContract(code.length, error);
    }
  }

  get size(): number {
    return this.entries.size;
  }

  get idleInstances(): number {
    return this.idle.size;
  }

  private evict(): void {
    for (const [key, contract] of this.entries) {
      if (this.bytes <= this.bytesMax || this.entries.size === 1) return;
      this.entries.delete(key);
      this.bytes -= bytesOf(contract);
      if (!(contract instanceof RefusedContract)) this.forget(contract);
    }
  }
}

const bytesOf = ({ codeBytes }: LoadedContract | RefusedContract): number => codeBytes + VM_LIMITS.module_entry_bytes;
