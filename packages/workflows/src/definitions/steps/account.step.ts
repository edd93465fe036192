import { Account, AccountCreate, AccountUpdate, lineText, nameText } from '@relata/schemas';
import { matchKeys, recordSteps } from './record.step.ts';

export const accountSteps = recordSteps({
  name: 'account',
  record: Account.shape,
  create: AccountCreate.shape,
  update: AccountUpdate.shape,
  match: { domain: lineText().min(1), ...matchKeys, account_name: nameText() },
});
