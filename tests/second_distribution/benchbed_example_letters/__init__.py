"""Which letters a text uses: an example of a plugin that brings everything itself."""
