"""``python -m annotation_app``: the raters' pages of one study, until it is stopped."""

from annotation_app.serving import main

if __name__ == "__main__":
    main()
