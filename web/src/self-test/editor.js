// The editor: CodeMirror with what short answers need. Loaded when a code self-test comes near the screen.
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Classes and not colours: the style sheet knows the theme.
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "self-test-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "self-test-string" },
  { tag: tags.comment, class: "self-test-comment" },
  { tag: [tags.number, tags.bool, tags.null], class: "self-test-number" },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName)], class: "self-test-name" },
]);

/** An editor in `parent`; `changed(text)` runs on each change, `submit()` on Ctrl-Enter. */
export function createEditor(parent, { text, label, describedBy, changed, submit }) {
  const dark = new Compartment();
  const isDark = () => EditorView.darkTheme.of(document.documentElement.dataset.theme === "dark");
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(),
        indentUnit.of("    "), python(), syntaxHighlighting(HIGHLIGHT), EditorView.lineWrapping, dark.of(isDark()),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy, autocapitalize: "off" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(update.state.doc.toString()); }),
        letTabLeaveAfterEscape(),
        keymap.of([{ key: "Mod-Enter", run: () => (submit(), true) }, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      ],
    }),
  });
  const followTheme = () => view.dispatch({ effects: dark.reconfigure(isDark()) });
  new MutationObserver(followTheme).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return {
    get text() { return view.state.doc.toString(); },
    set text(value) {
      const changes = { from: 0, to: view.state.doc.length, insert: value };
      view.dispatch({ changes, annotations: isolateHistory.of("full") }); // so that one undo takes back this alone
    },
    focus: () => view.focus(),
  };
}

// Tab indents, as in every editor; after Escape it moves on, so that nobody is caught.
function letTabLeaveAfterEscape() {
  const STAY = new Set(["Escape", "Tab", "Shift"]);
  return EditorView.domEventHandlers({
    keydown: (event, view) => {
      if (event.key === "Escape") view.setTabFocusMode(true);
      else if (!STAY.has(event.key)) view.setTabFocusMode(false);
    },
    blur: (_event, view) => view.setTabFocusMode(false),
  });
}
