import { Executor } from '@relata/db';
import { operatorActor } from '@relata/events';
import { accounts, contacts, createRecord, deleteUnit, mergeUnit, opportunities, restoreUnit } from '@relata/records';
import type { TestDatabase } from '@relata/testing';

/** Creates records of an organization, and moves them to the trash and back. */
export class RecordExamples {
  readonly orgId: string;
  protected readonly db: TestDatabase;
  readonly #executor: Executor;

  constructor(db: TestDatabase, orgId: string) {
    this.orgId = orgId;
    this.db = db;
    this.#executor = new Executor(db.database);
  }

  protected get actor() {
    return operatorActor(this.orgId, 'test');
  }

  async contact(fields: Record<string, string>): Promise<string> {
    return (await this.db.database.transaction((db) => createRecord(db, this.actor, contacts, fields))).id;
  }

  /** Creates an account with a contact and opportunities. Returns the ids of the account and of the opportunities. */
  async account(name: string, dealNames: readonly string[] = []): Promise<{ id: string; deals: string[] }> {
    return this.db.database.transaction(async (db) => {
      const { id } = await createRecord(db, this.actor, accounts, { account_name: name });
      await createRecord(db, this.actor, contacts, { first_name: 'Kay', last_name: 'McNulty', account_id: id });
      const deals: string[] = [];
      for (const opportunity_name of dealNames)
        deals.push((await createRecord(db, this.actor, opportunities, { opportunity_name, account_id: id })).id);
      return { id, deals };
    });
  }

  /** Deletes an account with its opportunities, or one opportunity. */
  async delete(kind: 'account' | 'opportunity', id: string): Promise<void> {
    if (kind === 'account') await this.#executor.runAlone(deleteUnit(this.actor, accounts, { id, cascade: true }));
    else await this.#executor.runAlone(deleteUnit(this.actor, opportunities, { id }));
  }

  /** Merges a contact into another one. */
  async merge(winnerId: string, loserId: string): Promise<void> {
    const merge = { winnerId, loserIds: [loserId], set: {}, versions: new Map() };
    await this.#executor.runAlone(mergeUnit(this.actor, contacts, merge));
  }

  /** Restores a record, as another person would. */
  async restore(id: string): Promise<void> {
    await this.#executor.runAlone(restoreUnit(this.actor, { id }));
  }

  /** Creates a contact in the trash, and returns its id. */
  async trashed(): Promise<string> {
    const id = await this.contact({ first_name: 'Some', last_name: 'Body' });
    await this.#executor.runAlone(deleteUnit(this.actor, contacts, { id }));
    return id;
  }
}
