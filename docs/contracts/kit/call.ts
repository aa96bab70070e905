// Calls to other contracts. They are queued and run after the current action has returned, in order, each with all
// that it queues itself; if one fails, the whole transaction fails. One call of a transaction may cause 4.
import { current_receiver, send_inline } from "./host";
import { Asset } from "./asset";
import { Writer } from "./data";
import { name } from "./name";

export class Call {
  /** Arguments, in the order of the other action's parameters. */
  readonly args: Writer = new Writer();
  private amount: Asset = new Asset();
  private readonly method: u64;

  constructor(private readonly contract: u64, method: string) {
    this.method = name(method);
  }

  /** Money of this contract that goes along; the other action must be payable. */
  attach(amount: Asset): Call {
    this.amount = amount;
    return this;
  }

  send(): void {
    const action = new Writer()
      .u64(current_receiver())
      .u64(this.contract)
      .asset(this.amount)
      .u64(this.method)
      .bytes(this.args.finish());
    send_inline(action.start, action.length);
  }
}
