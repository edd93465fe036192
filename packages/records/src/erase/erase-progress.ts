import type { RecordTable } from '../table/record-table.ts';
import { noneOf, type RecordCounts } from '../trash/delete-record.ts';
import { isBefore, placeBefore, type TrashPlace } from './former-links.sql.ts';

/** Limits of one transaction of an erase. */
export interface EraseBounds {
  /** Maximum number of events that the transaction reads. */
  events: number;
  /** Maximum number of other records that the transaction changes or erases. */
  records: number;
}

export interface Erased {
  /** Number of events whose content was erased. */
  events: number;
  /** Number of activities that were erased with the record. */
  activities: number;
  /** Number of erased records that had been merged into the record. */
  mergedRecords: number;
  /** Numbers of other records whose links were cleared, by kind. */
  unlinked: RecordCounts;
  /**
   * Numbers of other records that were erased because they cannot exist without the record; undefined without
   * `cascade`.
   */
  erased?: RecordCounts;
  /** True for a dry run of an erase that would take several transactions. The counts then cover only the first one. */
  isPart?: boolean;
}

/** State of an erase after some of its transactions. */
export class EraseProgress {
  /** True once a part is committed. The version of the record is then no longer checked. */
  isBegun = false;
  /** The record into which the erased record had been merged, as of the last transaction. */
  mergedInto: string | undefined;
  readonly erased: Erased;
  /** Position of the last event that was read, by the id of its record. */
  readonly positions: Map<string, number>;
  /** Last entry of the trash that was read, by the kind of entries and the id of the record. */
  readonly #trashPlaces: Map<string, TrashPlace>;

  constructor(
    erased: Erased,
    positions: Iterable<[string, number]> = [],
    trashPlaces: Iterable<[string, TrashPlace]> = [],
  ) {
    this.erased = erased;
    this.positions = new Map(positions);
    this.#trashPlaces = new Map(trashPlaces);
  }

  static of(table: RecordTable<unknown>, given: { cascade: boolean }): EraseProgress {
    return new EraseProgress({
      events: 0,
      activities: 0,
      mergedRecords: 0,
      unlinked: noneOf(table, given, 'unlinked'),
      ...(given.cascade && { erased: noneOf(table, given, 'deleted') }),
    });
  }

  /** Returns the position in the trash up to which all entries of a kind were read for every record. */
  trashPlace(kind: string, ids: readonly string[]): TrashPlace {
    const places = ids.map((id) => this.#trashPlaceOf(kind, id));
    return places.reduce((first, place) => (isBefore(place, first) ? place : first));
  }

  /**
   * Notes that all entries of a kind up to a position were read for these records. Each record has its own position:
   * the set of records may grow between two transactions, and a common position would then restart the search for all
   * of them.
   */
  reachTrashPlace(kind: string, ids: readonly string[], place: TrashPlace): void {
    for (const id of ids)
      if (isBefore(this.#trashPlaceOf(kind, id), place)) this.#trashPlaces.set(`${kind} ${id}`, place);
  }

  #trashPlaceOf(kind: string, id: string): TrashPlace {
    return this.#trashPlaces.get(`${kind} ${id}`) ?? placeBefore(id);
  }

  /** Returns a copy for a transaction, which may be rolled back. */
  next(): EraseProgress {
    const copy = new EraseProgress(structuredClone(this.erased), this.positions, this.#trashPlaces);
    [copy.isBegun, copy.mergedInto] = [this.isBegun, this.mergedInto];
    return copy;
  }
}

/** Numbers of events and other records that a transaction may still process. */
export class EraseBudget {
  readonly left: EraseBounds;

  constructor({ events, records }: EraseBounds) {
    // One extra event, so that the last read can tell that no events are left.
    this.left = { events: events + 1, records };
  }

  /** Takes ids up to the limit of records; `isCut` is true if some are left out. */
  take(ids: readonly string[]): { ids: readonly string[]; isCut: boolean } {
    const taken = ids.slice(0, this.left.records);
    this.left.records -= taken.length;
    return { ids: taken, isCut: taken.length < ids.length };
  }
}
