import { addCopyButtons } from './copy-buttons.ts';
import { store } from './elements.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';
import { addThemeButton } from './theme-button.ts';
import { addTryForms } from './try-forms.ts';

// Swagger UI, which was served at this address, stored API keys under this name.
store('localStorage', 'authorized', undefined);
addThemeButton();
addSearch();
addTabs();
addCopyButtons();
addTryForms();
