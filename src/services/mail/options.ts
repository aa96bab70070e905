import { defineOptions, maybe, type OptionKind, type OptionValues, textOption } from '../../config/define.js';

/** One plain address: no names, no lists, nothing that could become a header of its own. */
export const MAIL_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}$/;

export const mailAddress: OptionKind<string> = {
  wanted: 'an e-mail address',
  parse: (text) => (MAIL_ADDRESS.test(text) ? text : undefined),
  format: (value) => value,
};

/** How a service that writes e-mails gets rid of them. */
export const MAIL_OPTIONS = defineOptions({
  'mail-from': { kind: maybe(mailAddress), initial: undefined, help: 'Sender of e-mails; none are sent without it' },
  'smtp-file': {
    kind: maybe(textOption),
    initial: undefined,
    help: 'File with the URL of the SMTP server, such as smtp://user:password@mail.example:587, and nothing else',
  },
  'mail-folder': {
    kind: maybe(textOption),
    initial: undefined,
    help: 'Write e-mails into this folder instead of sending them',
  },
});

export type MailOptions = OptionValues<typeof MAIL_OPTIONS>;
