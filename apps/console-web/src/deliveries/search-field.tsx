import { type FormEvent, useEffect, useId, useRef } from 'react';
import { asFailure, faultsOf } from '../api/failure.ts';
import { queryClient } from '../api/queries.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { useAct } from '../ui/acts.ts';
import controls from '../ui/controls/controls.module.css';
import css from './search.module.css';
import { useDeliverySearch } from './use-delivery-search.ts';

interface SearchFieldProps {
  query: Omit<DeliveriesSearch, 'id'>;
  onSearch: (where: string | undefined) => void;
}

/** The expression that deliveries are searched by. Enter searches; with the same text it searches anew. */
export function SearchField({ query, onSearch }: SearchFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { error } = useDeliverySearch(query);
  const fault = error ? faultsOf(asFailure(error), 'where') : undefined;
  useAct('/', 'Search what was sent', () => input.current?.focus());
  useEffect(() => {
    input.current!.value = query.where ?? '';
  }, [query.where]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const where = input.current!.value.trim() || undefined;
    if (where === query.where) void queryClient.resetQueries({ queryKey: ['searchDeliveries'] });
    else onSearch(where);
  };
  return (
    <search>
      <form className={css.search} onSubmit={submit}>
        <label htmlFor={id} className={controls.label}>
          Search what was sent
        </label>
        <input
          id={id}
          ref={input}
          type="search"
          className={`${controls.input} ${css.source}`}
          placeholder={'payload.email == "ada@acme.example"'}
          aria-keyshortcuts="/"
          aria-describedby={`${id}-below`}
          aria-invalid={fault ? true : undefined}
          autoComplete="off"
          spellCheck={false}
        />
        <p id={`${id}-below`} className={fault ? controls.fault : controls.hint} role={fault ? 'alert' : undefined}>
          {fault ?? 'An expression on payload and delivery.headers, as in the filter of a trigger; Enter searches.'}
        </p>
      </form>
    </search>
  );
}
