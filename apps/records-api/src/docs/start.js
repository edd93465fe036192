// Starts Swagger UI on the page /docs. Sent as it is.

/**
 * Replaces the search of Swagger UI, which only looks for tags: here every word must be in the method, the path, the
 * summary or the tag.
 */
const searchPlugin = ({ React }) => ({
  fn: { opsFilter: findOperations },
  components: {
    FilterContainer: ({ layoutActions, layoutSelectors }) => {
      const phrase = layoutSelectors.currentFilter();
      return React.createElement('div', { className: 'filter wrapper' }, [
        React.createElement('input', {
          key: 'search',
          className: 'operation-filter-input',
          type: 'search',
          placeholder: 'Search the operations: contacts, PATCH, /v1/self …',
          'aria-label': 'Search the operations',
          value: typeof phrase === 'string' ? phrase : '',
          onChange: ({ target }) => layoutActions.updateFilter(target.value),
        }),
      ]);
    },
  },
});

function findOperations(taggedOperations, phrase) {
  const words = phrase.toLowerCase().split(/\s+/);
  const isWanted = (tag) => (operation) => {
    const text = [tag, operation.get('method'), operation.get('path'), operation.getIn(['operation', 'summary'])];
    return words.every((word) => text.join(' ').toLowerCase().includes(word));
  };
  return taggedOperations
    .map((group, tag) => group.update('operations', (operations) => operations.filter(isWanted(tag))))
    .filter((group) => group.get('operations').size > 0);
}

/** Keeps only one operation open, so that it has the screen to itself. */
const singlePlugin = () => {
  let open;
  return {
    statePlugins: {
      layout: {
        wrapActions: {
          show:
            (show, { layoutActions }) =>
            (thing, isShown = true) => {
              if (thing[0] !== 'operations' || !isShown) return show(thing, isShown);
              const before = open;
              open = thing;
              if (before && before.join() !== thing.join()) layoutActions.show(before, false);
              return show(thing, isShown);
            },
        },
      },
    },
  };
};

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  // The key stays in this browser (local storage) until the reader logs out.
  persistAuthorization: true,
  plugins: [searchPlugin, singlePlugin],
  tryItOutEnabled: true,
  validatorUrl: null,
});
