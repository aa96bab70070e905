// The smallest contract: it greets on the console and changes nothing.
import { accountName, print, sender } from "../kit";

@action
function hi(user: string): void {
  print("hi, " + user + ", from " + accountName(sender()) + "\n");
}
