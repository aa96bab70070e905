/** Requests up to this size are never refused because of what others send. */
const SMALL_BYTES = 64 * 1024;

/** One request body on its way in. */
export interface Upload {
  /** Takes a piece; false when there is no room for it. */
  add(bytes: number): boolean;
  /** The body is whole, refused or gone. */
  end(): void;
}

/** Memory for unfinished request bodies over all clients: the limit of a single body does not bound their sum. */
export class UploadBudget {
  #free: number;

  constructor(bytesMax: number) {
    this.#free = bytesMax;
  }

  get free(): number {
    return this.#free;
  }

  begin(): Upload {
    let bytes = 0;
    let held = 0;
    return {
      add: (more) => {
        bytes += more;
        const wanted = Math.max(0, bytes - SMALL_BYTES) - held;
        if (wanted > this.#free) return false;
        this.#free -= wanted;
        held += wanted;
        return true;
      },
      end: () => {
        this.#free += held;
        held = 0;
      },
    };
  }
}
