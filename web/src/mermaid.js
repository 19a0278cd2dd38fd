import mermaid from "mermaid";

export default mermaid;
