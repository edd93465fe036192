import type { RecordTable } from '../table/record-table.ts';
import { noneOf, type RecordCounts } from '../trash/delete-record.ts';
import { isBefore, placeBefore, type TrashPlace } from './former-links.sql.ts';

/** Bounds of one transaction of an erase. */
export interface EraseBounds {
  /** Events that it looks at. */
  events: number;
  /** Other records that it changes or erases. */
  records: number;
}

export interface Erased {
  /** Events whose content was erased. */
  events: number;
  /** Activities that were erased with the record. */
  activities: number;
  /** Records merged into it that were erased. */
  mergedRecords: number;
  /** Other records whose links were cleared. */
  unlinked: RecordCounts;
  /** Other records erased because they cannot exist without it; undefined unless it was a cascade. */
  erased?: RecordCounts;
  /** True for a trial that would take several transactions, and has counted only what the first would do. */
  isPart?: boolean;
}

/** State of an erase after some of its transactions. */
export class EraseProgress {
  /** True once a part is committed: the version of the record was accepted then. */
  isBegun = false;
  /** The record into which it had been merged when the transaction began. */
  mergedInto: string | undefined;
  readonly erased: Erased;
  /** The last event of each record that was looked at. */
  readonly positions: Map<string, number>;
  /** The last entry of the trash that was looked at for each record, by the kind of entries and its id. */
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

  /** Returns the place in the trash up to which no entry of a kind was left out for any of the records. */
  trashPlace(kind: string, ids: readonly string[]): TrashPlace {
    const places = ids.map((id) => this.#trashPlaceOf(kind, id));
    return places.reduce((first, place) => (isBefore(place, first) ? place : first));
  }

  /**
   * Notes that the entries up to a place were examined for these records. Each record has its own place, because
   * between two transactions other records may come to refer to an erased one, and a common place would restart the
   * search.
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

/** Room of a transaction: the events and other records that are left to it. */
export class EraseRoom {
  readonly left: EraseBounds;

  constructor({ events, records }: EraseBounds) {
    // One more look finds that none is left.
    this.left = { events: events + 1, records };
  }

  /** Takes as many of the ids as there is room for; `isCut` if some are left out. */
  take(ids: readonly string[]): { ids: readonly string[]; isCut: boolean } {
    const taken = ids.slice(0, this.left.records);
    this.left.records -= taken.length;
    return { ids: taken, isCut: taken.length < ids.length };
  }
}
