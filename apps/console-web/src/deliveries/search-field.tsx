import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { asFailure, fieldFaults } from '../api/failure.ts';
import { queryClient } from '../api/queries.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { Button } from '../ui/controls/button.tsx';
import controls from '../ui/controls/controls.module.css';
import css from './search.module.css';
import { useDeliverySearch } from './found-deliveries.tsx';

type Search = Pick<DeliveriesSearch, 'text' | 'where'>;

interface SearchFieldProps {
  query: Omit<DeliveriesSearch, 'id'>;
  onSearch: (search: Search) => void;
}

const modes = {
  text: {
    placeholder: 'ada@acme.example',
    hint: 'Searches bodies, headers and the beginnings of IDs, ignoring case.',
  },
  where: {
    placeholder: 'payload.email == "ada@acme.example"',
    hint: 'An expression over payload and delivery.headers, as in a trigger’s filter.',
  },
};

/** Matches text that is probably an expression: it begins like an expression and contains a comparison or a call. */
const expression = /^[!(\s]*(has\(\s*)?(payload|delivery\.headers)\s*[.[].*(==|!=|<|>|\)|\sin\s)/s;

/** Searches by text or, under "Advanced", by an expression. Enter starts the search, also with unchanged input. */
export function SearchField({ query, onSearch }: SearchFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [mode, setMode] = useMode(query);
  const { error } = useDeliverySearch(query);
  const fault = error ? fieldFaults(asFailure(error), mode) : undefined;
  const shown = query.where ?? query.text;
  useShortcut('/', 'Search deliveries', () => input.current?.focus());
  useEffect(() => {
    input.current!.value = shown ?? '';
  }, [shown]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = input.current!.value.trim() || undefined;
    const by = typed !== undefined && expression.test(typed) ? 'where' : mode;
    if (typed === query[by] && shown === typed) void queryClient.resetQueries({ queryKey: ['searchDeliveries'] });
    else onSearch({ [by]: typed });
  };
  return (
    <search>
      <form className={css.search} onSubmit={submit}>
        <label htmlFor={id} className={controls.label}>
          Search deliveries
        </label>
        <div className={css.field}>
          <input
            id={id}
            ref={input}
            type="search"
            className={`${controls.input} ${mode === 'where' ? css.source : ''}`}
            placeholder={modes[mode].placeholder}
            aria-keyshortcuts="/"
            aria-describedby={`${id}-below`}
            aria-invalid={fault ? true : undefined}
            autoComplete="off"
            spellCheck={false}
          />
          <Button type="submit">Search</Button>
          <Button
            variant="quiet"
            aria-pressed={mode === 'where'}
            onClick={() => {
              setMode(mode === 'where' ? 'text' : 'where');
              input.current?.focus();
            }}
          >
            Advanced
          </Button>
        </div>
        <p id={`${id}-below`} className={fault ? controls.fault : controls.hint} role={fault ? 'alert' : undefined}>
          {fault ?? modes[mode].hint}
        </p>
      </form>
    </search>
  );
}

/** Returns the mode of the search in the address, until the person chooses another mode. */
function useMode({ text, where }: Search) {
  const searched = where === undefined ? 'text' : 'where';
  const [mode, setMode] = useState<keyof typeof modes>(searched);
  useEffect(() => {
    if ((text ?? where) !== undefined) setMode(searched);
  }, [text, where, searched]);
  return [mode, setMode] as const;
}
