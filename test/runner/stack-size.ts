/** As in the first line of the command: contracts may need it, in tests too. */
export const STACK_SIZE = '--stack-size=6500';
