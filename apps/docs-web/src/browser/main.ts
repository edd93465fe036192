import { addCopyButtons } from './copy-buttons.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';
import { addThemeButton } from './theme-button.ts';
import { addTryForms } from './try-forms.ts';

addThemeButton();
addSearch();
addTabs();
addCopyButtons();
addTryForms();
